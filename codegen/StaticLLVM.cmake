# dyn_link_llvm(<target>) links LLVM's static libraries for this machine, if they and what they need are
# there (CMake's cache variable DYN_STATIC_LLVM_WORKS says), else the shared library.
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
option(DYN_STATIC_LLVM "put LLVM's static libraries into the module that compiles for this machine" ON)

llvm_map_components_to_libnames(static_llvm ${LLVM_NATIVE_ARCH}CodeGen Passes OrcJIT BitWriter)
if(NOT TARGET zstd::libzstd_shared) # needed by LLVMSupport; packages bring it without its own files
  find_library(ZSTD_LIBRARY NAMES zstd libzstd.so.1)
  if(ZSTD_LIBRARY)
    add_library(zstd::libzstd_shared SHARED IMPORTED)
    set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${ZSTD_LIBRARY})
  endif()
endif()
# libz3, which nothing that is used calls, is left out by --as-needed.
set(static_llvm_options -Wl,--as-needed -Wl,-Bsymbolic)
check_linker_flag(C -Wl,-z,pack-relative-relocs DYN_PACKS_RELOCATIONS)
if(DYN_PACKS_RELOCATIONS)
  list(APPEND static_llvm_options -Wl,-z,pack-relative-relocs)
endif()

if(DYN_STATIC_LLVM AND NOT DYN_SANITIZE AND NOT DYN_FUZZ)
  set(CMAKE_REQUIRED_LIBRARIES ${static_llvm} stdc++)
  set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,--gc-sections ${static_llvm_options})
  set(CMAKE_REQUIRED_INCLUDES ${LLVM_INCLUDE_DIRS})
  check_c_source_compiles("
    #include <llvm-c/LLJIT.h>
    #include <llvm-c/Target.h>
    int main(void) {
      LLVMOrcLLJITRef jit;
      return LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter() ||
             LLVMOrcCreateLLJIT(&jit, 0) != 0;
    }" DYN_STATIC_LLVM_WORKS)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  unset(CMAKE_REQUIRED_INCLUDES)
endif()

function(dyn_link_llvm target)
  if(DYN_STATIC_LLVM AND DYN_STATIC_LLVM_WORKS)
    target_link_libraries(${target} PRIVATE ${static_llvm} stdc++)
    target_link_options(${target} PRIVATE ${static_llvm_options})
  else()
    target_link_libraries(${target} PRIVATE LLVM)
  endif()
endfunction()
