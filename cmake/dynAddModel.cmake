# dyn_add_model(target model.dyn
#   [PREFIX name]        begin of the exported symbol name_model (default: from the model's name)
#   [CPU name]           processor to make code for (default: generic)
#   [METHOD name]        how to derive the equations
#   [SET "m=2" ...]      other default values
#   [OPTIONS ...])       further options of `dyn build`
#
# Compiles the model when the project is built, and again whenever a file changes that it was read
# from, imports included. Links the object into the target and makes its header, which is named like
# the model's file, known to it: #include "pendulum.h".
function(dyn_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PREFIX;CPU;METHOD" "SET;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dyn_add_model: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "dyn_add_model: there is no target '${target}'")
  endif()
  get_filename_component(source "${model}" ABSOLUTE)
  get_filename_component(name "${model}" NAME_WE)
  set(options ${arg_OPTIONS})
  foreach(word PREFIX CPU METHOD)
    if(arg_${word})
      string(TOLOWER "--${word}" option)
      list(APPEND options ${option} ${arg_${word}})
    endif()
  endforeach()
  foreach(assignment ${arg_SET})
    list(APPEND options --set ${assignment})
  endforeach()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/dyn_models/${target}")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${folder}/${name}.o" "${folder}/${name}.h"
    COMMAND dyn::compiler build "${source}" -o "${folder}/${name}.o"
      --depfile "${folder}/${name}.d" ${options}
    DEPENDS "${source}" dyn::compiler
    DEPFILE "${folder}/${name}.d"
    COMMENT "Compiling model ${model}"
    VERBATIM)
  set_source_files_properties("${folder}/${name}.o" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE "${folder}/${name}.o" "${folder}/${name}.h")
  target_include_directories(${target} PRIVATE "${folder}")
  target_link_libraries(${target} PRIVATE dyn::model m)
endfunction()
