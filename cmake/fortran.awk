# Writes the Fortran 2008 module dyn_model from dyn_model.h, so that the two can't differ.
# Reads the structs dyn_variable, dyn_constraint, dyn_position_equation, dyn_invariant, dyn_condition
# and dyn_model; a declaration that it does not know ends it with an error.
BEGIN {
  print "! Compiled dyn models in Fortran: the interface of dyn/dyn_model.h, made from that file."
  print "! What the parts mean stands there."
  print "module dyn_model"
  print "  use, intrinsic :: iso_c_binding"
  print "  implicit none"
  print "  public"
}
/^#define DYN_MODEL_ABI/ { print "  integer(c_int32_t), parameter :: dyn_model_abi = " $3 }
/^typedef struct dyn_[a-z_]+ \{/ { name = $3; open = 1; print "  type, bind(c) :: " name; next }
/^struct dyn_model \{/ { name = "dyn_model_t"; open = 1; print "  type, bind(c) :: " name; next }
open && /^\}/ { print "  end type"; open = 0; next }
!open { next }
{
  line = $0
  while (in_comment || line ~ /\/\*/) { # comments may go over lines
    if (!in_comment) {
      start = index(line, "/*"); head = substr(line, 1, start - 1); tail = substr(line, start + 2)
    } else { head = ""; tail = line }
    stop = index(tail, "*/")
    if (stop == 0) { in_comment = 1; line = head; break }
    in_comment = 0; line = head substr(tail, stop + 2)
  }
  sub(/^ +/, "", line); sub(/ +$/, "", line)
  if (line == "") next
  if (line !~ /;$/) { print "fortran.awk: unknown line in " name ": " line > "/dev/stderr"; exit 1 }
  sub(/;$/, "", line)
  if (line ~ /^uint32_t |^int32_t /) { kind = "integer(c_int32_t)"; sub(/^u?int32_t /, "", line) }
  else if (line ~ /^double /) { kind = "real(c_double)"; sub(/^double /, "", line) }
  else if (line ~ /^dyn_function \*/) { kind = "type(c_funptr)"; sub(/^dyn_function /, "", line) }
  else if (line ~ /^(const )?[a-z0-9_]+ \*/) { kind = "type(c_ptr)"; sub(/^(const )?[a-z0-9_]+ /, "", line) }
  else { print "fortran.awk: unknown type in " name ": " line > "/dev/stderr"; exit 1 }
  gsub(/\*/, "", line)
  print "    " kind " :: " line
}
END {
  print ""
  print "  abstract interface"
  print "    ! dyn_function: all arrays may be of any size that dyn_model.h names"
  print "    function dyn_function(model, t, x, u, p, work, out) result(status) bind(c)"
  print "      import :: c_int, c_double, c_ptr, dyn_model_t"
  print "      type(dyn_model_t), intent(in) :: model"
  print "      real(c_double), value :: t"
  print "      real(c_double), intent(in) :: x(*), u(*), p(*)"
  print "      real(c_double), intent(inout) :: work(*), out(*)"
  print "      integer(c_int) :: status"
  print "    end function"
  print "  end interface"
  print ""
  print "contains"
  print ""
  print "  ! The text behind a pointer of the model."
  print "  function dyn_text(pointer) result(text)"
  print "    type(c_ptr), intent(in) :: pointer"
  print "    character(len=:), allocatable :: text"
  print "    character(kind=c_char), pointer :: letters(:)"
  print "    integer :: i, n"
  print "    if (.not. c_associated(pointer)) then"
  print "      text = \"\""
  print "      return"
  print "    end if"
  print "    call c_f_pointer(pointer, letters, [huge(1)])"
  print "    n = 0"
  print "    do while (letters(n + 1) /= c_null_char)"
  print "      n = n + 1"
  print "    end do"
  print "    allocate (character(len=n) :: text)"
  print "    do i = 1, n"
  print "      text(i:i) = letters(i)"
  print "    end do"
  print "  end function"
  print "end module"
}
