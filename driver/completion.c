/* Completion of command lines in bash and zsh, from the tables of commands and options. */
#include "driver/commands.h"
#include <string.h>

static void put_command_names(const struct command_set *commands, struct text *out) {
  for (int i = 0; i < commands->count; i++) text_format(out, "%s ", commands->items[i]->name);
  text_put(out, "help version");
}

static void put_choices(const char *choices, struct text *out) {
  for (const char *c = choices; *c != '\0'; c++) text_add(out, *c == '|' ? " " : c, 1);
}

/* ---------------------------------------------------------------- bash */

/* A value that is one of a few words completes to them, any other to files. */
static void bash_values(const struct command *command, struct text *out) {
  const struct option_spec *spec;
  for (size_t i = 0; (spec = command_option(command, i)) != NULL; i++) {
    if (spec->argument == NULL) continue;
    text_format(out, "    %s %s", command->name, spec->name);
    text_put(out, ") ");
    if (spec->choices != NULL) {
      text_put(out, "words='");
      put_choices(spec->choices, out);
      text_put(out, "'");
    } else {
      text_put(out, "files=1");
    }
    text_put(out, " ;;\n");
  }
}

static void bash_options(const struct command *command, struct text *out) {
  const struct option_spec *spec;
  text_format(out, "      %s) words='", command->name);
  for (size_t i = 0; (spec = command_option(command, i)) != NULL; i++)
    text_format(out, "%s%s", i > 0 ? " " : "", spec->name);
  text_put(out, "' ;;\n");
}

static void bash_write(const struct command_set *commands, struct text *out) {
  text_put(out, "# Completion of dyn in bash.\n"
                "_dyn() {\n"
                "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                "  local command=${COMP_WORDS[1]} words='' files=0\n"
                "  COMPREPLY=()\n"
                "  if ((COMP_CWORD == 1)); then\n    mapfile -t COMPREPLY < <(compgen -W '");
  put_command_names(commands, out);
  text_put(out, "' -- \"$word\")\n    return\n  fi\n"
                "  case \"$command $before\" in\n");
  for (int i = 0; i < commands->count; i++) {
    struct text values = {0};
    bash_values(commands->items[i], &values);
    /* "name --option)" is a pattern of two words: the blank is quoted. */
    for (const char *c = text_string(&values); *c != '\0'; c++) {
      bool between = c[0] == ' ' && c[1] == '-' && c[2] == '-';
      text_add(out, between ? "\\ " : c, between ? 2 : 1);
    }
    text_free(&values);
  }
  text_put(out, "    help\\ *) words='");
  for (int i = 0; i < commands->count; i++)
    text_format(out, "%s%s", i > 0 ? " " : "", commands->items[i]->name);
  text_put(out, "' ;;\n  esac\n"
                "  if [[ -z $words && $files -eq 0 && $word == -* ]]; then\n"
                "    case $command in\n");
  for (int i = 0; i < commands->count; i++) bash_options(commands->items[i], out);
  text_put(out, "    esac\n  fi\n"
                "  if [[ -n $words ]]; then\n"
                "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                "  elif ((files)); then\n"
                "    compopt -o filenames 2> /dev/null\n"
                "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                "  else\n"
                "    compopt -o filenames 2> /dev/null\n"
                "    mapfile -t COMPREPLY < <(compgen -d -- \"$word\"; compgen -f -X '!*.dyn' -- "
                "\"$word\")\n"
                "  fi\n}\ncomplete -F _dyn dyn\n");
}

/* ---------------------------------------------------------------- zsh */

/* The first line of the help, without what ends or splits a specification of _arguments. */
static void zsh_help(const char *help, struct text *out) {
  for (const char *c = help; *c != '\0' && *c != '\n'; c++) {
    if (*c == '\'')
      text_put(out, "'\\''");
    else if (*c == '[' || *c == ']' || *c == ':' || *c == '\\')
      text_format(out, "\\%c", *c);
    else
      text_add(out, c, 1);
  }
}

static void zsh_option(const struct option_spec *spec, struct text *out) {
  for (int letter = 0; letter < 2; letter++) {
    const char *name = letter == 0 ? spec->name : spec->letter;
    if (name == NULL) continue;
    text_format(out, "        '*%s[", name);
    zsh_help(spec->help, out);
    text_put(out, "]");
    if (spec->choices != NULL) {
      text_format(out, ":%s:(", spec->argument);
      put_choices(spec->choices, out);
      text_put(out, ")");
    } else if (spec->argument != NULL) {
      text_format(out, ":%s:_files", spec->argument);
    }
    text_put(out, "' \\\n");
  }
}

static void zsh_write(const struct command_set *commands, struct text *out) {
  text_put(out, "#compdef dyn\n# Completion of dyn in zsh.\n_dyn() {\n"
                "  if ((CURRENT == 2)); then\n    local -a commands=(\n");
  for (int i = 0; i < commands->count; i++) {
    text_format(out, "      '%s:", commands->items[i]->name);
    zsh_help(commands->items[i]->summary, out);
    text_put(out, "'\n");
  }
  text_put(out, "      'help:print the commands, or the options of one'\n"
                "      'version:print the version'\n    )\n"
                "    _describe command commands\n    return\n  fi\n"
                "  local command=${words[2]}\n  shift words\n  ((CURRENT--))\n"
                "  case $command in\n");
  for (int i = 0; i < commands->count; i++) {
    const struct command *command = commands->items[i];
    const struct option_spec *spec;
    text_format(out, "    %s)\n      _arguments \\\n", command->name);
    for (size_t k = 0; (spec = command_option(command, k)) != NULL; k++) zsh_option(spec, out);
    text_format(out, "        '*:%s:%s' ;;\n", command->takes_model ? "model" : "argument",
                command->takes_model ? "_files -g \"*.dyn\"" : "");
  }
  text_put(out, "    help) _values command");
  for (int i = 0; i < commands->count; i++) text_format(out, " %s", commands->items[i]->name);
  text_put(out, " ;;\n  esac\n}\n_dyn \"$@\"\n");
}

bool completion_write(const struct command_set *commands, const char *shell, struct text *out) {
  if (strcmp(shell, "bash") == 0)
    bash_write(commands, out);
  else if (strcmp(shell, "zsh") == 0)
    zsh_write(commands, out);
  else
    return false;
  return true;
}
