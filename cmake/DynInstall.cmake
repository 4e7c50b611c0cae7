# What an installation has besides programs and libraries: the CMake package, pkg-config files, the
# manual page, completion, and the Debian package that CPack makes of it all.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dyn)

add_library(dyn_model INTERFACE)
set_target_properties(dyn_model PROPERTIES EXPORT_NAME model)
set_target_properties(dyn_runtime_shared PROPERTIES EXPORT_NAME runtime)
set_target_properties(dyn_shared PROPERTIES EXPORT_NAME dyn)
set_target_properties(dyn PROPERTIES EXPORT_NAME compiler)
foreach(target dyn_model dyn_runtime_shared dyn_shared)
  target_include_directories(${target} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
install(TARGETS dyn_model EXPORT dynTargets)
install(EXPORT dynTargets NAMESPACE dyn:: DESTINATION ${package_folder})
configure_package_config_file(cmake/dynConfig.cmake.in ${PROJECT_BINARY_DIR}/dynConfig.cmake
  INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dynConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dynConfig.cmake ${PROJECT_BINARY_DIR}/dynConfigVersion.cmake
  cmake/dynAddModel.cmake DESTINATION ${package_folder})

# Relative to where the files lie, so that they are right wherever the tree is installed.
file(RELATIVE_PATH DYN_PKGCONFIG_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name dyn dyn_runtime)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The interface in other languages; the Fortran module is made from the header.
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/dyn_model.f90
  COMMAND awk -f ${PROJECT_SOURCE_DIR}/cmake/fortran.awk
    ${PROJECT_SOURCE_DIR}/include/dyn/dyn_model.h > ${PROJECT_BINARY_DIR}/dyn_model.f90
  DEPENDS cmake/fortran.awk include/dyn/dyn_model.h VERBATIM)
add_custom_target(dyn_fortran ALL DEPENDS ${PROJECT_BINARY_DIR}/dyn_model.f90)
install(FILES ${PROJECT_BINARY_DIR}/dyn_model.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dyn)
install(FILES interfaces/dyn_model.py DESTINATION ${CMAKE_INSTALL_DATADIR}/dyn/python)

# Made by the program itself, from its tables of options.
set(pages ${PROJECT_BINARY_DIR}/dyn.1 ${PROJECT_BINARY_DIR}/dyn.bash ${PROJECT_BINARY_DIR}/_dyn)
add_custom_command(OUTPUT ${pages}
  COMMAND dyn help --man > ${PROJECT_BINARY_DIR}/dyn.1
  COMMAND dyn help --completion bash > ${PROJECT_BINARY_DIR}/dyn.bash
  COMMAND dyn help --completion zsh > ${PROJECT_BINARY_DIR}/_dyn
  DEPENDS dyn COMMENT "Writing the manual page and the completion" VERBATIM)
add_custom_target(dyn_pages ALL DEPENDS ${pages})
install(FILES ${PROJECT_BINARY_DIR}/dyn.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/dyn.bash RENAME dyn
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/_dyn DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dyn)
set(CPACK_PACKAGE_VENDOR "dyn")
set(CPACK_PACKAGE_CONTACT "the authors of dyn <dyn@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
