#include <cjose/cjose.h>
#include <jansson.h>

/// Whether a text is an object in JSON without a name that is twice in one object, of which two
/// programs could read two things.
static inline int locomotion_json_is_clear(const char *text, size_t size) {
  json_error_t error;
  json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  int is_clear = json_is_object(value);
  json_decref(value);
  return is_clear;
}
