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
#define EMFILE 24
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define EADDRNOTAVAIL 49
#define ECONNABORTED 53
#define ELOOP 62
#define EDQUOT 69
int *__error(void);
#define errno (*__error())
char *strerror(int number);

// MARK: fcntl.h

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_DIRECTORY 0x00100000
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_NOCTTY 0x00020000
#define O_CLOEXEC 0x01000000
#define F_SETFD 2
#define F_SETFL 4
#define FD_CLOEXEC 1
int fcntl(int descriptor, int command, ...);
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
int chmod(const char *path, mode_t mode);
uid_t getuid(void);
mode_t umask(mode_t mask);

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
ssize_t write(int descriptor, const void *bytes, size_t count);
void exit(int status) __attribute__((noreturn));
void _exit(int status) __attribute__((noreturn));
typedef struct __sFILE FILE;
int fflush(FILE *stream);
void free(void *memory);

// MARK: string.h, strings.h

void *memcpy(void *target, const void *source, size_t count);
void *memset(void *target, int value, size_t count);
char *strchr(const char *text, int letter);
int strcmp(const char *a, const char *b);
size_t strlen(const char *text);
int strcasecmp(const char *a, const char *b);

// MARK: time.h

typedef enum {
  CLOCK_THREAD_CPUTIME_ID = 16
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *time);

// MARK: sys/time.h, sys/select.h

struct timeval {
  long tv_sec;
  int32_t tv_usec;
};
#define FD_SETSIZE 1024
typedef struct fd_set {
  int32_t fds_bits[FD_SETSIZE / 32];
} fd_set;
#define FD_ZERO(set) memset(set, 0, sizeof *(set))
#define FD_SET(n, set) ((void)((set)->fds_bits[(n) / 32] |= (int32_t)(1u << (n) % 32)))
#define FD_CLR(n, set) ((void)((set)->fds_bits[(n) / 32] &= ~(int32_t)(1u << (n) % 32)))
#define FD_ISSET(n, set) ((set)->fds_bits[(n) / 32] & (int32_t)(1u << (n) % 32))
int select(int count, fd_set *reading, fd_set *writing, fd_set *failing, struct timeval *time);

// MARK: sys/socket.h, netinet/in.h, netdb.h

typedef uint32_t socklen_t;
typedef uint8_t sa_family_t;
typedef uint16_t in_port_t;
struct sockaddr {
  uint8_t sa_len;
  sa_family_t sa_family;
  char sa_data[14];
};
struct sockaddr_storage {
  uint8_t ss_len;
  sa_family_t ss_family;
  char __ss_pad1[6];
  int64_t __ss_align;
  char __ss_pad2[112];
};
struct in_addr {
  uint32_t s_addr;
};
struct sockaddr_in {
  uint8_t sin_len;
  sa_family_t sin_family;
  in_port_t sin_port;
  struct in_addr sin_addr;
  char sin_zero[8];
};
struct in6_addr {
  union {
    uint8_t __u6_addr8[16];
    uint16_t __u6_addr16[8];
    uint32_t __u6_addr32[4];
  } __u6_addr;
};
#define s6_addr __u6_addr.__u6_addr8
#define IN6_IS_ADDR_V4MAPPED(a)                                                                    \
  ((a)->__u6_addr.__u6_addr32[0] == 0 && (a)->__u6_addr.__u6_addr32[1] == 0 &&                     \
   (a)->__u6_addr.__u6_addr32[2] == 0xFFFF0000)
struct sockaddr_in6 {
  uint8_t sin6_len;
  sa_family_t sin6_family;
  in_port_t sin6_port;
  uint32_t sin6_flowinfo;
  struct in6_addr sin6_addr;
  uint32_t sin6_scope_id;
};
struct addrinfo {
  int ai_flags;
  int ai_family;
  int ai_socktype;
  int ai_protocol;
  socklen_t ai_addrlen;
  char *ai_canonname;
  struct sockaddr *ai_addr;
  struct addrinfo *ai_next;
};
#define AF_INET 2
#define AF_INET6 30
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_REUSEADDR 0x0004
#define SOMAXCONN 128
#define MSG_PEEK 0x2
#define MSG_DONTWAIT 0x80
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define AI_PASSIVE 0x00000001
#define AI_NUMERICHOST 0x00000004
uint16_t htons(uint16_t number);
uint16_t ntohs(uint16_t number);
int accept(int listener, struct sockaddr *address, socklen_t *length);
int bind(int socket, const struct sockaddr *address, socklen_t length);
void freeaddrinfo(struct addrinfo *first);
int getaddrinfo(
    const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found);
int getsockname(int socket, struct sockaddr *address, socklen_t *length);
int listen(int socket, int backlog);
ssize_t recv(int socket, void *bytes, size_t count, int flags);
int setsockopt(int socket, int level, int option, const void *value, socklen_t length);
int shutdown(int socket, int how);
int socket(int domain, int type, int protocol);

// MARK: signal.h

#define SIGPIPE 13
#define SIGXFSZ 25
typedef void (*sig_t)(int);
void (*signal(int number, void (*handler)(int)))(int);

#endif
