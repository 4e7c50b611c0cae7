/* number.c: numbers as text that reads back exactly. */
#include "runtime/number.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t number_write(double value, char text[NUMBER_SIZE]) {
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
    if (!isfinite(value) || strtod(text, NULL) == value) break;
  }
  for (int i = 0; i < length; i++)
    if (text[i] == ',') text[i] = '.';
  return (size_t)length;
}
