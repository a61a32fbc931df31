#include "CLocomotionStopRequest.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop_came = 0;

static void stop_comes(int number) {
  (void)number;
  stop_came = 1;
}

void locomotion_catch_stop(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = stop_comes;
  // System calls that write to the disk are restarted, not interrupted.
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  // The parent process may have left them blocked.
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGTERM);
  sigaddset(&both, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &both, NULL);
}

int locomotion_stop_came(void) { return stop_came; }

static void (*clean_up)(void);
/// The handler writes the number of a signal to it, and the thread that cleans up reads from it.
static int stop_pipe[2];

static void pass_on(int number) {
  int reason = errno;
  char byte = (char)number;
  (void)!write(stop_pipe[1], &byte, 1);
  errno = reason;
}

/// Waits for a signal, cleans up, and raises it again with its default action.
static void *wait_for_stop(void *unused) {
  (void)unused;
  char byte = 0;
  while (read(stop_pipe[0], &byte, 1) != 1) {
    if (errno != EINTR) {
      return NULL;
    }
  }
  clean_up();
  signal(byte, SIG_DFL);
  kill(getpid(), byte);
  return NULL;
}

void locomotion_before_stop(void (*cleanUp)(void)) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  pthread_t thread;
  if (clean_up != NULL || pipe(stop_pipe) != 0) {
    return;
  }
  clean_up = cleanUp;
  if (pthread_create(&thread, NULL, wait_for_stop, NULL) != 0) {
    return;
  }
  pthread_detach(thread);
  sigset_t handled;
  sigemptyset(&handled);
  // A handler instead of a mask with sigwait: libraries have started threads of their own by now,
  // which a mask would not affect.
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    struct sigaction action;
    if (sigaction(numbers[index], NULL, &action) != 0 || action.sa_handler == SIG_IGN) {
      continue;
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = pass_on;
    action.sa_flags = SA_RESTART;
    sigaction(numbers[index], &action, NULL);
    sigaddset(&handled, numbers[index]);
  }
  // The parent process may have left them blocked.
  pthread_sigmask(SIG_UNBLOCK, &handled, NULL);
}

void locomotion_open_standard_files(void) {
  for (int number = 0; number <= 2; number++) {
    if (fcntl(number, F_GETFD) < 0) {
      // The lowest free number is taken, which is this one. Output opened for reading fails.
      (void)!open("/dev/null", number == 2 ? O_WRONLY : O_RDONLY);
    }
  }
}
