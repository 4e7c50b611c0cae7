/* number.h: numbers as text that reads back exactly. */
#ifndef DYN_RUNTIME_NUMBER_H
#define DYN_RUNTIME_NUMBER_H
#include <stddef.h>

#define NUMBER_SIZE 32
/* Writes the shortest decimal that reads back as value, with a point whatever the locale ("nan",
 * "inf" and "-inf" for the rest; zero has no sign), and returns its length; not terminated. */
size_t number_write(double value, char text[NUMBER_SIZE]);

#endif
