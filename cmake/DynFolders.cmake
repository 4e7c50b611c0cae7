# One folder of sources is one library, dyn_<folder>; a folder may have its own CMakeLists.txt
# that adds what is special about it (generated sources, modules, packages).
add_library(dyn_options INTERFACE)
target_compile_options(dyn_options INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Wno-missing-field-initializers -fno-math-errno
  -ffp-contract=off)
target_compile_definitions(dyn_options INTERFACE _POSIX_C_SOURCE=200809L DYN_VERSION="${PROJECT_VERSION}"
  DYN_MODULE_DIRECTORY="${CMAKE_INSTALL_FULL_LIBDIR}/dyn")
target_include_directories(dyn_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR})
if(DYN_WERROR)
  target_compile_options(dyn_options INTERFACE -Werror)
endif()
if(DYN_SANITIZE)
  target_compile_options(dyn_options INTERFACE -fsanitize=address,undefined
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g)
  target_link_options(dyn_options INTERFACE -fsanitize=address,undefined)
endif()
if(DYN_FUZZ)
  target_compile_options(dyn_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# dyn_folder(name): the library dyn_<name> from the folder's C files, then its CMakeLists.txt.
function(dyn_folder name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.c)
  list(FILTER sources EXCLUDE REGEX "_module\\.c$")
  if(NOT sources AND NOT EXISTS ${PROJECT_SOURCE_DIR}/${name}/CMakeLists.txt)
    return()
  endif()
  if(NOT name STREQUAL driver)
    add_library(dyn_${name} STATIC ${sources})
    target_link_libraries(dyn_${name} PUBLIC dyn_options)
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/${name}/CMakeLists.txt)
    add_subdirectory(${PROJECT_SOURCE_DIR}/${name})
  endif()
endfunction()
