/* ^C and SIGTERM, for commands that go on for long. */
#ifndef DYN_DRIVER_INTERRUPTS_H
#define DYN_DRIVER_INTERRUPTS_H
#include <signal.h>

/* From now on the first of these signals sets the flag that is returned, so that work ends in
 * order; a second one ends the program. */
const volatile sig_atomic_t *interrupts_catch(void);
#endif
