/* spawn ROUNDS COMMAND...: runs a command several times without its output, and prints the median
 * of its times in ms and the largest memory it had in MB; "- -" if it fails. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ms, or -1 */
static double run(char **command, double *memory) {
  double started = now();
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execvp(command[0], command);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) return -1;
  double took = now() - started, size = (double)usage.ru_maxrss / 1024;
  if (size > *memory) *memory = size;
  return took;
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  int rounds = atoi(arguments[1]);
  double *times = calloc((size_t)rounds + 1, sizeof *times), memory = 0;
  for (int i = 0; i < rounds; i++) {
    times[i] = run(arguments + 2, &memory);
    if (times[i] >= 0) continue;
    printf("- -\n");
    return 0;
  }
  qsort(times, (size_t)rounds, sizeof *times, compare);
  printf("%.1f %.0f\n", times[rounds / 2], memory);
  free(times);
  return 0;
}
