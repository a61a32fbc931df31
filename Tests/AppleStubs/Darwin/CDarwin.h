// Apple's C library in outline: of its headers only what this package uses, with Apple's types and
// numbers where these differ from those of Linux.
#ifndef C_DARWIN_H
#define C_DARWIN_H

#include <stddef.h>
#include <stdint.h>

// MARK: sys/types.h

typedef int32_t dev_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef uint64_t ino_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef int32_t pid_t;
typedef int64_t off_t;
typedef int64_t blkcnt_t;
typedef int32_t blksize_t;
typedef uint32_t useconds_t;
typedef long ssize_t;
struct timespec {
  long tv_sec;
  long tv_nsec;
};

// MARK: errno.h

#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ELOOP 62
#define EDQUOT 69
int *__error(void);
char *strerror(int number);

// MARK: fcntl.h

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_NOCTTY 0x00020000
#define O_CLOEXEC 0x01000000
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
int flock(int descriptor, int operation);
/// `open` with its optional argument is variadic, which Swift can't import: the overlay calls this.
int locomotion_stub_open(const char *path, int flags, mode_t mode);

// MARK: sys/stat.h

struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec;
  struct timespec st_mtimespec;
  struct timespec st_ctimespec;
  struct timespec st_birthtimespec;
  off_t st_size;
  blkcnt_t st_blocks;
  blksize_t st_blksize;
  uint32_t st_flags;
  uint32_t st_gen;
  int32_t st_lspare;
  int64_t st_qspare[2];
};
int stat(const char *path, struct stat *status);
int lstat(const char *path, struct stat *status);
int fstat(int descriptor, struct stat *status);
int mkdir(const char *path, mode_t mode);
int fchmod(int descriptor, mode_t mode);

// MARK: unistd.h, stdio.h, stdlib.h

#define W_OK (1 << 1)
int access(const char *path, int mode);
int close(int descriptor);
int dup(int descriptor);
int fchown(int descriptor, uid_t owner, gid_t group);
int fsync(int descriptor);
int isatty(int descriptor);
int rename(const char *old, const char *new);
int rmdir(const char *path);
int unlink(const char *path);
int usleep(useconds_t microseconds);
void exit(int status) __attribute__((noreturn));
void free(void *memory);

// MARK: signal.h

#define SIGPIPE 13
#define SIGXFSZ 25
typedef void (*sig_t)(int);
void (*signal(int number, void (*handler)(int)))(int);

#endif
