#include <errno.h>
#include <fcntl.h>
#ifdef __linux__
#include <malloc.h>
#endif
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// The library's calls with a variable number of arguments, which Swift cannot import; those with
// enumerations, which Swift imports in another way from each version of the header; the addresses
// of sockets, which C says in fewer words; and what of HTTP's rules the library doesn't hold.

/// A socket that listens at a numeric address, or -1 with the reason in `errno`; `port` 0 takes a
/// free one, which is in `*port` then.
static inline int locomotion_http_listen(const char *address, uint16_t *port) {
  struct addrinfo hints, *found = NULL;
  memset(&hints, 0, sizeof hints);
  hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(address, NULL, &hints, &found) != 0 || found == NULL) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  struct sockaddr_storage own;
  socklen_t length = found->ai_addrlen;
  memcpy(&own, found->ai_addr, length);
  int family = found->ai_family;
  freeaddrinfo(found);
  if (family == AF_INET6) {
    ((struct sockaddr_in6 *)&own)->sin6_port = htons(*port);
  } else {
    ((struct sockaddr_in *)&own)->sin_port = htons(*port);
  }
  int descriptor = socket(family, SOCK_STREAM, 0);
  if (descriptor < 0) {
    return -1;
  }
  if (descriptor >= FD_SETSIZE) {
    close(descriptor);
    errno = EMFILE;
    return -1;
  }
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(descriptor, (struct sockaddr *)&own, length) != 0 ||
      listen(descriptor, SOMAXCONN) != 0 ||
      getsockname(descriptor, (struct sockaddr *)&own, &length) != 0) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
  }
  *port = ntohs(
      family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
                         : ((struct sockaddr_in *)&own)->sin_port);
  return descriptor;
}

/// Starts a server without threads, which works in `locomotion_http_run`; NULL when that fails.
/// With a certificate and its private key, both in PEM, it speaks TLS. `logs` is called before the
/// library does what it logs.
///
/// It waits with `select`: in the library's mode for epoll an end that arrives together with data
/// is not noticed before the time limit (0.9.75). So no descriptor may reach `FD_SETSIZE`.
static inline struct MHD_Daemon *locomotion_http_start(
    const char *certificate, const char *key, size_t memory, unsigned int seconds,
    MHD_LogCallback logs,
    MHD_AccessHandlerCallback handler,
    void *(*target)(void *, const char *, struct MHD_Connection *),
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback changed,
    void *context) {
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"},
      {MHD_OPTION_END, 0, NULL},
  };
  struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
  return MHD_start_daemon(
      MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG | (certificate == NULL ? MHD_NO_FLAG : MHD_USE_TLS),
      0, NULL, NULL, handler, context,
      MHD_OPTION_EXTERNAL_LOGGER, logs, context,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_CONNECTION_LIMIT, (unsigned int)FD_SETSIZE,
      MHD_OPTION_CONNECTION_TIMEOUT, seconds,
      MHD_OPTION_URI_LOG_CALLBACK, target, context,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, changed, context,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_ARRAY, certificate == NULL ? plain : tls,
      MHD_OPTION_END);
}

/// Whether the library can speak TLS.
static inline int locomotion_http_has_tls(void) {
  return MHD_is_feature_supported(MHD_FEATURE_TLS) == MHD_YES;
}

/// The socket of a connection, or -1.
static inline int locomotion_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *information =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return information == NULL ? -1 : (int)information->connect_fd;
}

/// Whether a connection has the whole head of a request.
static inline int locomotion_http_has_head(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) != NULL;
}

/// Whether a connection begins, rather than ends.
static inline int locomotion_http_is_new(enum MHD_ConnectionNotificationCode event) {
  return event == MHD_CONNECTION_NOTIFY_STARTED;
}

/// What a handler returns: 0 ends the connection.
static inline enum MHD_Result locomotion_http_result(int goes_on) {
  return goes_on ? MHD_YES : MHD_NO;
}

/// Takes up to `room` connections that wait at a listening socket; 0 when one cannot be had.
static inline int locomotion_http_accept(struct MHD_Daemon *daemon, int listener, int room) {
  for (; room > 0; room--) {
    // Whom `select` could not serve has to wait.
    int next = dup(listener);
    if (next >= 0) {
      close(next);
    }
    if (next < 0 || next >= FD_SETSIZE) {
      return 0;
    }
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int descriptor = accept(listener, (struct sockaddr *)&address, &length);
    if (descriptor < 0) {
      return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNABORTED;
    }
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    // When this fails, it has closed the socket.
    MHD_add_connection(daemon, descriptor, (struct sockaddr *)&address, length);
  }
  return 1;
}

/// What came of working.
enum { LOCOMOTION_HTTP_FAILED, LOCOMOTION_HTTP_WORKED, LOCOMOTION_HTTP_NO_DESCRIPTOR };

/// Works for up to `milliseconds`, and takes up to `room` connections; others wait.
///
/// The library's own listening would take those for whom there is no place, and close them.
static inline int locomotion_http_run(
    struct MHD_Daemon *daemon, int listener, int room, int milliseconds) {
  fd_set reading, writing, failing;
  FD_ZERO(&reading);
  FD_ZERO(&writing);
  FD_ZERO(&failing);
  MHD_socket largest = -1;
  if (MHD_get_fdset2(daemon, &reading, &writing, &failing, &largest, FD_SETSIZE) != MHD_YES) {
    return LOCOMOTION_HTTP_FAILED;
  }
  MHD_UNSIGNED_LONG_LONG limit = 0;
  if (MHD_get_timeout(daemon, &limit) == MHD_YES && limit < (MHD_UNSIGNED_LONG_LONG)milliseconds) {
    milliseconds = (int)limit;
  }
  if (room > 0) {
    FD_SET(listener, &reading);
    largest = listener > largest ? listener : largest;
  }
  struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
  if (select((int)largest + 1, &reading, &writing, &failing, &time) < 0) {
    if (errno != EINTR) {
      return LOCOMOTION_HTTP_FAILED;
    }
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_ZERO(&failing);
  }
  int comes = room > 0 && FD_ISSET(listener, &reading);
  if (comes) {
    FD_CLR(listener, &reading);
  }
  if (MHD_run_from_select(daemon, &reading, &writing, &failing) != MHD_YES) {
    return LOCOMOTION_HTTP_FAILED;
  }
  return comes && !locomotion_http_accept(daemon, listener, room) ? LOCOMOTION_HTTP_NO_DESCRIPTOR
                                                                  : LOCOMOTION_HTTP_WORKED;
}

/// A header field of a request, or NULL.
static inline const char *locomotion_http_field(
    struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/// A part of a request's query, or NULL.
static inline const char *locomotion_http_query(
    struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/// The state of the check of a head.
struct locomotion_http_head {
  /// Where the next line must begin.
  uintptr_t next;
  int is_valid;
  /// How often each of the fields was there that must not be there twice.
  int lengths, encodings, hosts, tokens;
};

/// Whether a name is a token of RFC 9110, which has neither blanks nor brackets.
static inline int locomotion_http_is_token(const char *text, size_t size) {
  for (size_t index = 0; index < size; index++) {
    char c = text[index];
    int is_letter = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
    if (!is_letter && (c == 0 || strchr("!#$%&'*+-.^_`|~", c) == NULL)) {
      return 0;
    }
  }
  return size > 0;
}

static inline enum MHD_Result locomotion_http_check_field(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
  (void)kind;
  struct locomotion_http_head *head = context;
  head->lengths += strcasecmp(name, "content-length") == 0;
  head->encodings += strcasecmp(name, "transfer-encoding") == 0;
  head->hosts += strcasecmp(name, "host") == 0;
  head->tokens += strcasecmp(name, "authorization") == 0;
  head->is_valid = head->is_valid && value != NULL && (uintptr_t)name == head->next &&
                   locomotion_http_is_token(name, name_size);
  for (size_t index = 0; head->is_valid && index < value_size; index++) {
    unsigned char c = (unsigned char)value[index];
    head->is_valid = c == '\t' || (c >= 0x20 && c != 0x7F);
  }
  head->next = (uintptr_t)value + value_size + 2;
  return MHD_YES;
}

/// Whether a head is one that can be read in one way only.
///
/// The library (0.9.75) ends strings at a zero byte and goes on behind the line; takes a line feed
/// for the end of a line and a blank before the colon for part of the name; joins folded lines; and
/// takes the first of two lengths. It ends strings in the buffer into which it read them, so that a
/// head without any of this lies there without gaps: the target, the version and the fields, with
/// one blank or two bytes of a line's end between them, and the head's size from end to end.
///
/// `target` and `target_size` are what the library read behind the method, `version` what it hands
/// to the handler.
static inline int locomotion_http_head_is_exact(
    struct MHD_Connection *connection, const char *method, uintptr_t target, size_t target_size,
    const char *version) {
  const union MHD_ConnectionInfo *information =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  struct locomotion_http_head head = {0};
  head.next = (uintptr_t)version + strlen(version) + 2;
  head.is_valid = information != NULL && target + target_size + 1 == (uintptr_t)version &&
                  locomotion_http_is_token(method, strlen(method));
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, locomotion_http_check_field, &head);
  return head.is_valid && head.lengths <= 1 && head.hosts <= 1 && head.tokens <= 1 &&
         head.lengths + head.encodings <= 1 &&
         head.next + 2 == target - strlen(method) - 1 + information->header_size;
}

/// A name, and how often a query holds it.
struct locomotion_http_count {
  const char *name;
  int count;
};

static inline enum MHD_Result locomotion_http_count_name(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  (void)kind;
  (void)value;
  struct locomotion_http_count *count = context;
  count->count += strcmp(name, count->name) == 0;
  return MHD_YES;
}

/// How often a name stands in a request's query.
static inline int locomotion_http_query_count(
    struct MHD_Connection *connection, const char *name) {
  struct locomotion_http_count count = {name, 0};
  MHD_get_connection_values(
      connection, MHD_GET_ARGUMENT_KIND, locomotion_http_count_name, &count);
  return count.count;
}

/// A response with a copy of `bytes`, or NULL.
static inline struct MHD_Response *locomotion_http_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// The processor time of the calling thread, seconds.
static inline double locomotion_http_processor_seconds(void) {
  struct timespec spent;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent) == 0
             ? (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec
             : 0;
}

/// Has the process give memory back that it does not need any more.
///
/// The GNU C library keeps what is freed in pools, one for each thread and more, and after a large
/// block was freed no later one of up to 32 MiB goes back to the system. So a server with several
/// threads would hold the most that each of them ever needed.
static inline void locomotion_http_return_memory(void) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
}
