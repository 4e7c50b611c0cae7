# cmake -DOUT=library.c -DFOLDER=stdlib -P EmbedLibrary.cmake: the files of the standard library as C
# arrays; see sema/library.h.
file(GLOB files ${FOLDER}/*.dyn)
list(SORT files)
set(texts "")
set(rows "")
set(count 0)
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n  " bytes "${bytes}")
  string(APPEND texts "static const unsigned char text_${count}[] = {\n  ${bytes}0};\n")
  string(APPEND rows "  {\"${name}\", (const char *)text_${count}, ${length}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT}.new "/* Made from the files of stdlib by cmake/EmbedLibrary.cmake. */
#include \"sema/library.h\"
${texts}
const struct library_file library_files[] = {
${rows}  {0, 0, 0}};
const uint32_t library_file_count = ${count};
")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
file(REMOVE ${OUT}.new)
