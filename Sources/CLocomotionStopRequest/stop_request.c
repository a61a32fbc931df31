#include "CLocomotionStopRequest.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t stop_came = 0;

static void stop_comes(int number) {
  (void)number;
  stop_came = 1;
}

void locomotion_catch_stop(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = stop_comes;
  // What is being written to the disk is not disturbed.
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  // Whoever started the program may have left them blocked.
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGTERM);
  sigaddset(&both, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &both, NULL);
}

int locomotion_stop_came(void) { return stop_came; }
