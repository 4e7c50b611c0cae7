/* The commands; each has a file of its own. */
#ifndef DYN_DRIVER_COMMANDS_H
#define DYN_DRIVER_COMMANDS_H
#include "driver/session.h"

extern const struct command command_check, command_derive, command_eval, command_run, command_build,
    command_explain;

#endif
