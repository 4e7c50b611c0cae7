# What LAPACK, BLAS and the run-time library of Fortran are linked from:
#   LAPACK_PROGRAM_LIBRARIES  for a program: archives, as the five shared libraries that they take the
#                             place of would cost every start of dyn some milliseconds
#   LAPACK_SHARED_LIBRARIES   for a shared library: archives as well, but Fortran's library, whose
#                             archive is no position-independent code
# Where archives are missing or do not link, shared libraries. The reference BLAS is taken before
# another one, which may start threads as it loads: the matrices are small.
include(CheckCSourceCompiles)
find_path(LAPACK_INCLUDE_DIRECTORY lapack.h REQUIRED)
find_library(LAPACK_ARCHIVE liblapack.a PATH_SUFFIXES lapack)
find_library(LAPACK_PIC_ARCHIVE liblapack_pic.a PATH_SUFFIXES lapack)
find_library(BLAS_ARCHIVE libblas.a PATH_SUFFIXES blas)
find_library(LAPACK_LIBRARY lapack PATH_SUFFIXES lapack REQUIRED)
find_library(BLAS_LIBRARY blas PATH_SUFFIXES blas REQUIRED)

set(lapack_check "#include <lapack.h>
double LAPACK_GLOBAL(dnrm2, DNRM2)(const int *n, const double *x, const int *step);
int main(void) {
  double a = 1, b = 1;
  int n = 1, info = 0;
  LAPACK_dormqr(\"L\", \"T\", &n, &n, &n, &a, &n, &a, &b, &n, &b, &n, &info);
  return info + (int)LAPACK_GLOBAL(dnrm2, DNRM2)(&n, &a, &n);
}")

# lapack_choose(result check archives): whether a program, or with -shared in
# CMAKE_REQUIRED_LINK_OPTIONS a shared library, links with the archives; else the shared libraries.
function(lapack_choose result check)
  set(${result} ${LAPACK_LIBRARY} ${BLAS_LIBRARY} PARENT_SCOPE)
  if(ARGN MATCHES "NOTFOUND")
    return()
  endif()
  set(CMAKE_REQUIRED_INCLUDES ${LAPACK_INCLUDE_DIRECTORY})
  set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
  check_c_source_compiles("${lapack_check}" ${check})
  if(${check})
    set(${result} ${ARGN} PARENT_SCOPE)
  endif()
endfunction()

# Static as well, and for the same reason: the little that Fortran's library needs of libgcc.
lapack_choose(LAPACK_PROGRAM_LIBRARIES LAPACK_ARCHIVES_LINK
  ${LAPACK_ARCHIVE} ${BLAS_ARCHIVE} -l:libgfortran.a -l:libquadmath.a -static-libgcc m)
set(CMAKE_REQUIRED_LINK_OPTIONS -shared -Wl,-z,text -Wl,-z,defs)
lapack_choose(LAPACK_SHARED_LIBRARIES LAPACK_PIC_ARCHIVE_LINKS
  ${LAPACK_PIC_ARCHIVE} ${BLAS_ARCHIVE} gfortran m)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
