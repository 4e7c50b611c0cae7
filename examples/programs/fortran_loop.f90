! A compiled model in Fortran 2008, with its own loop: four stages of Runge and Kutta.
! Prints the accelerations at the start, then the coordinates at the end.
module pendulum
  use dyn_model
  implicit none
  type(dyn_model_t), bind(c, name="DoublePendulum_model") :: model
end module

program fortran_loop
  use pendulum
  implicit none
  real(c_double), parameter :: part(4) = [0d0, 0.5d0, 0.5d0, 1d0], h = 0.001d0
  real(c_double), parameter :: weight(4) = [1d0/6, 1d0/3, 1d0/3, 1d0/6]
  real(c_double), allocatable :: x(:), slope(:), change(:), p(:), zeros(:), u(:), work(:), a(:)
  type(dyn_variable), pointer :: coordinates(:), accelerations(:)
  procedure(dyn_function), pointer :: rhs, acceleration, start, complete
  integer :: i, n, stage

  if (model%abi /= dyn_model_abi) error stop "the model has another interface"
  n = model%n_coordinates
  call c_f_pointer(model%coordinates, coordinates, [n])
  call c_f_pointer(model%accelerations, accelerations, [n])
  call c_f_procpointer(model%rhs, rhs)
  call c_f_procpointer(model%acceleration, acceleration)
  call c_f_procpointer(model%start, start)
  call c_f_procpointer(model%complete_parameters, complete)
  allocate (x(model%n_state), slope(model%n_state), change(model%n_state), a(n), u(1))
  allocate (p(model%n_parameters), zeros(model%n_parameters), work(model%n_work + 1))
  zeros = 0
  u = 0
  call check(complete(model, 0d0, zeros, u, zeros, work, p))
  call check(start(model, 0d0, zeros, u, p, work, x))
  call check(acceleration(model, 0d0, x, u, p, work, a))
  do i = 1, n
    print "(a, 1x, es24.16e3)", dyn_text(accelerations(i)%name), a(i)
  end do
  do i = 0, 1999
    slope = 0
    change = 0
    do stage = 1, 4
      call check(rhs(model, (i + part(stage))*h, x + part(stage)*h*slope, u, p, work, slope))
      change = change + weight(stage)*slope
    end do
    x = x + h*change
  end do
  do i = 1, n
    print "(a, 1x, es24.16e3)", dyn_text(coordinates(i)%name), x(i)
  end do

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) error stop "the mass matrix is singular"
  end subroutine
end program
