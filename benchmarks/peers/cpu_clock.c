/* Clocks that show the CPU seconds of this process, to be preloaded: limits of any program are CPU seconds then.
 *
 * cc -O2 -shared -fPIC cpu_clock.c -o cpu_clock.so && LD_PRELOAD=./cpu_clock.so program
 *
 * Waiting takes no CPU seconds, so that waits with a time limit wait for a second of the real time instead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const time_t epoch = 1700000000;

static struct timespec read_clock(clockid_t clock) {
  struct timespec now;
  syscall(SYS_clock_gettime, clock, &now);
  return now;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int is_wall = clock == CLOCK_REALTIME;
  if (!is_wall && clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_RAW)
    return (int)syscall(SYS_clock_gettime, clock, now);
  *now = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  if (is_wall) now->tv_sec += epoch;
  return 0;
}

int gettimeofday(struct timeval* now, void* zone) {
  (void)zone;
  const struct timespec cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  now->tv_sec = cpu.tv_sec + epoch;
  now->tv_usec = cpu.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* now) {
  const time_t seconds = read_clock(CLOCK_PROCESS_CPUTIME_ID).tv_sec + epoch;
  if (now) *now = seconds;
  return seconds;
}

static struct timespec soon(clockid_t clock) {
  struct timespec then = read_clock(clock);
  ++then.tv_sec;
  return then;
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* until) {
  (void)until;
  const struct timespec then = soon(clock);
  int (*wait)(sem_t*, clockid_t, const struct timespec*) = dlsym(RTLD_NEXT, "sem_clockwait");
  return wait(semaphore, clock, &then);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  (void)until;
  const struct timespec then = soon(clock);
  int (*wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*) =
      dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  return wait(condition, mutex, clock, &then);
}

/* Python waits so for its lock, for milliseconds: another thread gives it back when it is asked to. */
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const struct timespec* until) {
  (void)until;
  struct timespec then = read_clock(CLOCK_MONOTONIC);
  then.tv_nsec += 5000000;
  if (then.tv_nsec >= 1000000000) {
    then.tv_nsec -= 1000000000;
    ++then.tv_sec;
  }
  int (*wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*) =
      dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  return wait(condition, mutex, CLOCK_MONOTONIC, &then);
}
