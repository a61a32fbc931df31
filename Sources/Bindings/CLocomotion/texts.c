#include "locomotion.h"

int32_t locomotion_abi_version(void) { return LOCOMOTION_ABI_VERSION; }

const char *locomotion_error_text(int32_t error) {
  switch (error) {
    case LOCOMOTION_OK: return "no error";
    case LOCOMOTION_ERROR_NULL: return "a pointer is null where memory is needed";
    case LOCOMOTION_ERROR_ARGUMENT: return "a count, size, stride, option or form is not allowed";
    case LOCOMOTION_ERROR_ALIGNMENT: return "a pointer is not aligned for its elements";
    case LOCOMOTION_ERROR_HANDLE: return "no pipeline: never created, or destroyed";
    case LOCOMOTION_ERROR_BUSY: return "another thread uses the pipeline at this moment";
    case LOCOMOTION_ERROR_CAPACITY: return "the buffer is too small";
    case LOCOMOTION_ERROR_FINISHED: return "the recording was finished: reset the pipeline first";
    case LOCOMOTION_ERROR_UNPROCESSED: return "measurements were appended and not yet processed";
    case LOCOMOTION_ERROR_NOT_KEPT: return "the pipeline does not keep its recording";
    case LOCOMOTION_ERROR_TOO_MANY: return "too many pipelines";
    case LOCOMOTION_ERROR_MODEL: return "no model file, or a damaged one";
    case LOCOMOTION_ERROR_MODEL_VERSION: return "the model is for another version of the library";
    case LOCOMOTION_ERROR_STATE: return "no saved state, or a damaged one";
    case LOCOMOTION_ERROR_STATE_VERSION:
      return "the state was saved by another version of the library";
    case LOCOMOTION_ERROR_STATE_MODEL: return "the state was saved with another model";
    case LOCOMOTION_ERROR_MAP: return "no map, a damaged one, or one of a newer version";
    default: return "unknown error";
  }
}

const char *locomotion_activity_name(int32_t activity) {
  switch (activity) {
    case LOCOMOTION_ACTIVITY_STATIONARY: return "stationary";
    case LOCOMOTION_ACTIVITY_WALKING: return "walking";
    case LOCOMOTION_ACTIVITY_RUNNING: return "running";
    case LOCOMOTION_ACTIVITY_CYCLING: return "cycling";
    case LOCOMOTION_ACTIVITY_AUTOMOTIVE: return "automotive";
    case LOCOMOTION_ACTIVITY_TRAIN: return "train";
    default: return "unknown";
  }
}
