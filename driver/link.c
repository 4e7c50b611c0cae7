/* Runs the compiler driver of C, which knows how this machine links: $CC, else cc, or for another
 * machine <target>-gcc. Its messages go to standard error as they are. */
#include "driver/link.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool report(struct session *session, const char *linker, const char *reason) {
  dyn_context *context = session_context(session);
  struct diagnostic *d =
      diagnostic_add(context, DIAG_LINKING_FAILED, nowhere, linker, reason, NULL);
  diagnostic_help(context, d,
                  "set CC to a C compiler for the target, or write an object file (--emit obj) and "
                  "link it by hand: cc -shared -o m.so m.o -lm");
  return false;
}

/* Words of a command such as "gcc -m64"; NULL behind the last. The caller frees the array. */
static char **split(char *command, const char *const *rest, size_t rest_count) {
  char **words = checked_calloc(strlen(command) + rest_count + 2, sizeof *words);
  size_t count = 0;
  char *state = NULL;
  for (char *word = strtok_r(command, " \t", &state); word != NULL;
       word = strtok_r(NULL, " \t", &state))
    words[count++] = word;
  for (size_t i = 0; i < rest_count; i++) words[count++] = (char *)rest[i];
  return words;
}

static bool report_file(struct session *session, const char *path) {
  struct text reason = {0};
  text_format(&reason, "%s: %s", path, strerror(errno));
  session_report_write(session, text_string(&reason));
  text_free(&reason);
  return false;
}

static bool run_linker(struct session *session, const char *linker, const char *object,
                       const char *path) {
  const char *const rest[] = {"-shared", "-o", path, object, "-lm"};
  struct text command = {0}, reason = {0};
  text_put(&command, linker);
  char *copy = text_take(&command);
  char **words = split(copy, rest, sizeof rest / sizeof *rest);
  pid_t child;
  int status = 0, fault = words[0] == rest[0] ? ENOENT : 0;
  if (fault == 0) fault = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
  while (fault == 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fault = errno;
  if (fault != 0)
    text_format(&reason, "%s", strerror(fault));
  else if (WIFSIGNALED(status))
    text_format(&reason, "it was ended by signal %d", WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    text_format(&reason, "it ended with status %d", WEXITSTATUS(status));
  bool good = reason.length == 0;
  if (!good) report(session, linker, text_string(&reason));
  text_free(&reason);
  free(words);
  free(copy);
  return good;
}

static bool write_object(int file, const struct text *object) {
  FILE *stream = fdopen(file, "wb");
  if (stream == NULL) {
    close(file);
    return false;
  }
  bool good = fwrite(object->bytes, 1, object->length, stream) == object->length;
  return fclose(stream) == 0 && good;
}

bool link_shared(struct session *session, const struct text *object, const char *target,
                 const char *path) {
  const char *chosen = getenv("CC"), *folder = getenv("TMPDIR");
  struct text linker = {0}, name = {0}, beside = {0};
  if (chosen != NULL && chosen[strspn(chosen, " \t")] != '\0')
    text_put(&linker, chosen);
  else if (target != NULL)
    text_format(&linker, "%s-gcc", target);
  else
    text_put(&linker, "cc");
  text_format(&name, "%s/dyn-XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
  text_format(&beside, "%s.%ld.part", path, (long)getpid());
  char *template = text_take(&name);
  int file = mkstemp(template);
  bool good = (file >= 0 && write_object(file, object)) || report_file(session, template);
  good = good && run_linker(session, text_string(&linker), template, text_string(&beside));
  good = good && (rename(text_string(&beside), path) == 0 || report_file(session, path));
  if (file >= 0) unlink(template);
  if (!good) unlink(text_string(&beside));
  free(template);
  text_free(&linker);
  text_free(&beside);
  return good;
}
