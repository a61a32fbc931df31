#include <curl/curl.h>
#include <string.h>

// The library's calls with a variable number of arguments, which Swift cannot import.

/// The body that is sent, and how much of it the library has taken.
struct locomotion_curl_upload {
  const unsigned char *bytes;
  size_t count, taken;
};

static inline size_t locomotion_curl_read(char *to, size_t size, size_t count, void *context) {
  struct locomotion_curl_upload *upload = context;
  size_t part = upload->count - upload->taken;
  if (part > size * count) {
    part = size * count;
  }
  if (part > 0) {
    memcpy(to, upload->bytes + upload->taken, part);
  }
  upload->taken += part;
  return part;
}

/// The library reads the body again when a kept connection was closed by the other side.
static inline int locomotion_curl_seek(void *context, curl_off_t offset, int origin) {
  struct locomotion_curl_upload *upload = context;
  if (origin != SEEK_SET || offset < 0 || (size_t)offset > upload->count) {
    return CURL_SEEKFUNC_CANTSEEK;
  }
  upload->taken = (size_t)offset;
  return CURL_SEEKFUNC_OK;
}

/// Settings that are the same for every request of a handle: nothing but HTTP, no redirection, no
/// signal, limits of time.
static inline CURLcode locomotion_curl_prepare(
    CURL *handle, const char *signature, const char *name, const char *secret, long connecting,
    long whole, size_t (*received)(char *, size_t, size_t, void *)) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  result = result ? result : curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, connecting);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_TIMEOUT, whole);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, received);
  // For `100 Continue`, which not every service sends. A field 'Expect:' that leaves it out would be
  // signed without being sent (7.88).
  result = result ? result : curl_easy_setopt(handle, CURLOPT_EXPECT_100_TIMEOUT_MS, 100L);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, signature);
  // Apart, because a name may contain a colon.
  result = result ? result : curl_easy_setopt(handle, CURLOPT_USERNAME, name);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_PASSWORD, secret);
  return result;
}

/// One request: `upload` is NULL without a body.
static inline CURLcode locomotion_curl_perform(
    CURL *handle, const char *method, const char *url, struct curl_slist *fields,
    struct locomotion_curl_upload *upload, void *context, long *status) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_URL, url);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  // The order matters: each of the first two changes the method.
  result = result ? result : curl_easy_setopt(handle, CURLOPT_HTTPGET, 1L);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_UPLOAD, upload == NULL ? 0L : 1L);
  // Without it the library would wait for the body whose length the answer to HEAD says.
  if (strcmp(method, "HEAD") == 0) {
    result = result ? result : curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  }
  result = result ? result : curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, method);
  if (upload != NULL) {
    curl_off_t size = (curl_off_t)upload->count;
    result = result ? result : curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, size);
    result = result ? result : curl_easy_setopt(handle, CURLOPT_READFUNCTION, locomotion_curl_read);
    result = result ? result : curl_easy_setopt(handle, CURLOPT_READDATA, upload);
    result = result ? result : curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, locomotion_curl_seek);
    result = result ? result : curl_easy_setopt(handle, CURLOPT_SEEKDATA, upload);
  }
  result = result ? result : curl_easy_perform(handle);
  return result ? result : curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

/// The length that the last answer said its body had; negative when it did not.
static inline long long locomotion_curl_length(CURL *handle) {
  curl_off_t length = -1;
  curl_easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  return length;
}

/// Settings of a handle for requests that may be cancelled: nothing but HTTP, no redirection, no
/// signal; seconds to connect, of silence, and of a whole request. `context` goes to both functions.
static inline CURLcode locomotion_curl_prepare_cancellable(
    CURL *handle, long connecting, long silence, long whole,
    size_t (*received)(char *, size_t, size_t, void *),
    int (*progress)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t), void *context) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  result = result ? result : curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, connecting);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, silence);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_TIMEOUT, whole);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, received);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  result = result ? result : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  return result;
}

/// The status of the last answer, also of one whose body was not read to its end; 0 for none.
static inline long locomotion_curl_status(CURL *handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// The seconds of the last answer's `Retry-After`, which may be a date; 0 for none.
static inline long long locomotion_curl_retry_after(CURL *handle) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
  return seconds;
}
