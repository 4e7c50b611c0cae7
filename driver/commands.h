/* The commands; each has a file of its own. */
#ifndef DYN_DRIVER_COMMANDS_H
#define DYN_DRIVER_COMMANDS_H
#include "driver/session.h"

extern const struct command command_check, command_derive, command_eval, command_run, command_sweep, command_build,
    command_verify, command_linearize, command_equilibrium, command_explain, command_docs;

struct command_set {
  const struct command *const *items;
  int count;
};
/* ---- manual_page.c, completion.c: what the tables say, in other forms. False: no such shell. */
bool manual_page_write(const struct command_set *commands, struct text *out);
bool completion_write(const struct command_set *commands, const char *shell, struct text *out);

#endif
