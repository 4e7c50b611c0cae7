/* Turns signals into a flag. */
#include "driver/interrupts.h"
#include <stddef.h>

/* The one variable that a signal handler may write; nothing else in dyn is global. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

const volatile sig_atomic_t *interrupts_catch(void) {
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}
