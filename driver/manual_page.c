/* The manual page dyn(1), from the tables of commands and options. */
#include "driver/commands.h"
#include <string.h>

/* Text of a line in roff: backslashes, dots and quotes at its begin mean something there. */
static void put_words(struct text *out, const char *words, size_t length) {
  if (length > 0 && (words[0] == '.' || words[0] == '\'')) text_put(out, "\\&");
  for (size_t i = 0; i < length; i++) {
    if (words[i] == '\\')
      text_put(out, "\\e");
    else if (words[i] == '-')
      text_put(out, "\\-");
    else
      text_add(out, words + i, 1);
  }
}

static void put_lines(struct text *out, const char *lines) {
  while (lines != NULL) {
    const char *end = strchr(lines, '\n');
    size_t length = end != NULL ? (size_t)(end - lines) : strlen(lines);
    if (length > 0) {
      put_words(out, lines, length);
      text_put(out, "\n");
    }
    lines = end != NULL ? end + 1 : NULL;
  }
}

static void put_option(struct text *out, const struct option_spec *spec) {
  text_put(out, ".TP\n\\fB");
  if (spec->letter != NULL) {
    put_words(out, spec->letter, strlen(spec->letter));
    text_put(out, "\\fR, \\fB");
  }
  put_words(out, spec->name, strlen(spec->name));
  text_put(out, "\\fR");
  const char *value = spec->choices != NULL ? spec->choices : spec->argument;
  if (value != NULL) {
    text_put(out, " \\fI");
    put_words(out, value, strlen(value));
    text_put(out, "\\fR");
  }
  text_put(out, "\n");
  put_lines(out, spec->help);
}

static void put_command(struct text *out, const struct command *command) {
  text_format(out, ".SS dyn %s [options] ", command->name);
  put_words(out, command->arguments, strlen(command->arguments));
  text_put(out, "\n");
  put_lines(out, command->summary);
  const struct option_spec *spec;
  for (size_t i = 0; (spec = command_option(command, i)) != NULL; i++) put_option(out, spec);
  if (command->details == NULL) return;
  text_put(out, ".PP\n.nf\n");
  put_lines(out, command->details);
  text_put(out, ".fi\n");
}

bool manual_page_write(const struct command_set *commands, struct text *out) {
  text_format(out, ".TH DYN 1 \"\" \"dyn %s\" \"User Commands\"\n", dyn_version());
  text_put(out, ".SH NAME\ndyn \\- a language for mechanics, compiled\n"
                ".SH SYNOPSIS\n.B dyn\n\\fICOMMAND\\fR [options] ...\n.SH DESCRIPTION\n"
                "A mechanical system is written down as a textbook would: coordinates, bodies or "
                "energies,\nconstraints, forces. dyn checks it, derives its equations of motion, "
                "compiles them to machine\ncode, and integrates them or hands out an object file "
                "to link.\n.SH COMMANDS\n");
  for (int i = 0; i < commands->count; i++) put_command(out, commands->items[i]);
  text_put(out, ".SS dyn help [\\fICOMMAND\\fR]\nPrints the commands, or the options of one.\n"
                ".SS dyn version\nPrints the version.\n"
                ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nthe model is wrong\n.TP\n2\nthe command "
                "line is wrong\n.TP\n3\na failure while running; what was computed is kept\n");
  return true;
}
