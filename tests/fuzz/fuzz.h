/* What a fuzz target defines; replay.c calls it over a corpus where there is no fuzzer. */
#ifndef DYN_TESTS_FUZZ_H
#define DYN_TESTS_FUZZ_H
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
#endif
