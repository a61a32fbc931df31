#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The library's calls with a variable number of arguments, which Swift cannot import; those with
// enumerations, which Swift imports in another way from each version of the header; and the addresses
// of sockets, which C says in fewer words.

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
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(descriptor, (struct sockaddr *)&own, length) != 0 || listen(descriptor, 128) != 0 ||
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

/// Starts a server without threads, which works in `MHD_run_wait`; NULL when that fails.
static inline struct MHD_Daemon *locomotion_http_start(
    int listener, size_t memory, unsigned int connections, unsigned int seconds,
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback changed, void *context) {
  return MHD_start_daemon(
      MHD_USE_AUTO, 0, NULL, NULL, handler, context,
      MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, seconds,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, changed, context,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_END);
}

/// The socket of a connection, or -1.
static inline int locomotion_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *information =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return information == NULL ? -1 : (int)information->connect_fd;
}

/// Whether a connection begins, rather than ends.
static inline int locomotion_http_is_new(enum MHD_ConnectionNotificationCode event) {
  return event == MHD_CONNECTION_NOTIFY_STARTED;
}

/// What a handler returns: 0 ends the connection.
static inline enum MHD_Result locomotion_http_result(int goes_on) {
  return goes_on ? MHD_YES : MHD_NO;
}

/// Works for up to `milliseconds`; 0 when that fails.
static inline int locomotion_http_run(struct MHD_Daemon *daemon, int milliseconds) {
  return MHD_run_wait(daemon, milliseconds) == MHD_YES;
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

/// A response with a copy of `bytes`, or NULL.
static inline struct MHD_Response *locomotion_http_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
