/* What a phone's sensors say, turned into where its owner was and what they did: the C interface.
 *
 *     locomotion_pipeline pipeline;
 *     locomotion_create(NULL, 0, 0, &pipeline);
 *     locomotion_append_accelerations(pipeline, count, times, x, y, z, 1);
 *     locomotion_process(pipeline);
 *     while (locomotion_poll_samples(pipeline, samples, 64, &count) == LOCOMOTION_OK && count > 0)
 *       for (int64_t i = 0; i < count; i++) printf("%d %f\n", samples[i].activity, samples[i].cadence);
 *     locomotion_destroy(pipeline);
 *
 * The rules that hold for every function:
 *
 * Units. Times are nanoseconds on the sensors' clock, whose zero is the caller's choice and which
 * accelerations, rotation rates, pressures and fixes share. Accelerations are specific force in
 * m/s², Android's sign (a phone that lies flat reads z = +9.81); rotation rates rad/s; pressures
 * hPa; latitudes, longitudes and courses degrees (WGS 84, clockwise from true north); distances and
 * radii metres; speeds m/s; step rates steps per minute, both feet counted.
 *
 * Unknown. A number that is not known is NaN, a case that is not known the constant that says so.
 * Sensor data may be anything: what is impossible is counted and left out, never an error.
 *
 * Memory. All memory belongs to the caller. Nothing that is passed is kept: it is copied before the
 * function returns. Counts and capacities are in elements, sizes in bytes; with a count of 0 the
 * pointers may be null. Pointers must have the natural alignment of their elements.
 *
 * Errors. Every function that can fail returns LOCOMOTION_OK or an error, for which
 * locomotion_error_text has a text. A call that fails changes nothing, in the pipeline or in the
 * caller's memory, unless its description says so. Misuse that can be seen (a null pointer, a
 * negative count, a handle that was destroyed or never was one, a pipeline that is in use) is an
 * error as well. What cannot be seen is a pointer to less memory than was stated.
 *
 * Threads. Different pipelines may be used from different threads at the same time. Of two calls
 * with one pipeline at the same time the second returns LOCOMOTION_ERROR_BUSY: the caller makes
 * them wait for each other. The functions without a pipeline may be called from anywhere. */

#ifndef LOCOMOTION_H
#define LOCOMOTION_H

/* The schema of every other language: Sources/Bindings/schema.py makes their copies of it. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. It is raised when a struct, a constant or a function changes its
 * meaning or its size; functions may be added under the same version. */
#define LOCOMOTION_ABI_VERSION 2

/* The version of the library that was loaded: compare it with LOCOMOTION_ABI_VERSION. */
int32_t locomotion_abi_version(void);

/* A pipeline: a number, never 0, that is not reused after locomotion_destroy. */
typedef uint64_t locomotion_pipeline;

/* ---- Errors ---- */

/* The errors of the library. */
enum locomotion_error_code {
  LOCOMOTION_OK = 0,
  LOCOMOTION_ERROR_NULL = 1,          /* a pointer is null where memory is needed */
  LOCOMOTION_ERROR_ARGUMENT = 2,      /* a count, size, stride, option or form is not allowed */
  LOCOMOTION_ERROR_ALIGNMENT = 3,     /* a pointer is not aligned for its elements */
  LOCOMOTION_ERROR_HANDLE = 4,        /* no pipeline: never created, or destroyed */
  LOCOMOTION_ERROR_BUSY = 5,          /* another thread uses the pipeline at this moment */
  LOCOMOTION_ERROR_CAPACITY = 6,      /* the buffer is too small; the needed size was stored */
  LOCOMOTION_ERROR_FINISHED = 7,      /* the recording was finished: reset the pipeline first */
  LOCOMOTION_ERROR_UNPROCESSED = 8,   /* measurements were appended and not yet processed */
  LOCOMOTION_ERROR_NOT_KEPT = 9,      /* the pipeline was created without KEEP_RECORDING */
  LOCOMOTION_ERROR_TOO_MANY = 10,     /* no further pipeline can be created */
  LOCOMOTION_ERROR_MODEL = 11,        /* no model file, or a damaged one */
  LOCOMOTION_ERROR_MODEL_VERSION = 12, /* the model is for another version of the library */
  LOCOMOTION_ERROR_STATE = 13,        /* no saved state, or a damaged one */
  LOCOMOTION_ERROR_STATE_VERSION = 14, /* the state was saved by another version of the library */
  LOCOMOTION_ERROR_STATE_MODEL = 15,  /* the state was saved with another model */
  LOCOMOTION_ERROR_MAP = 16           /* no map, a damaged one, or one of a newer version */
};

/* One line of English on an error, without a period; for any other number "unknown error". The text
 * is constant and never null. */
const char *locomotion_error_text(int32_t error);

/* ---- Constants ---- */

/* What a person is doing. */
enum locomotion_activity {
  LOCOMOTION_ACTIVITY_UNKNOWN = -1,
  LOCOMOTION_ACTIVITY_STATIONARY = 0,
  LOCOMOTION_ACTIVITY_WALKING = 1,
  LOCOMOTION_ACTIVITY_RUNNING = 2,
  LOCOMOTION_ACTIVITY_CYCLING = 3,
  LOCOMOTION_ACTIVITY_AUTOMOTIVE = 4, /* a road vehicle */
  LOCOMOTION_ACTIVITY_TRAIN = 5       /* a rail vehicle */
};

/* The number of activities that can be known; the most custom activities of a model; and the room
 * for the name of one, with a final 0. */
enum {
  LOCOMOTION_ACTIVITY_COUNT = 6,
  LOCOMOTION_CUSTOM_ACTIVITIES = 8,
  LOCOMOTION_CUSTOM_NAME = 33
};

/* The name of an activity, "unknown" for every other number; constant and never null. */
const char *locomotion_activity_name(int32_t activity);

/* Why an activity is unknown. */
enum locomotion_reason {
  LOCOMOTION_REASON_NONE = -1,           /* it is known */
  LOCOMOTION_REASON_NOT_ENOUGH_DATA = 0, /* after a start or a gap, or at too low a rate */
  LOCOMOTION_REASON_BAD_SIGNAL = 1,      /* saturated, in free fall, or in another unit */
  LOCOMOTION_REASON_LOW_CONFIDENCE = 2,  /* no class is probable enough */
  LOCOMOTION_REASON_CUSTOM_ACTIVITY = 3  /* an activity of the model that is none of the six */
};

/* Whether a phone changes place. */
enum locomotion_moving { LOCOMOTION_STATIONARY = 0, LOCOMOTION_MOVING = 1, LOCOMOTION_UNCERTAIN = 2 };

/* What became of a fix. */
enum locomotion_fix_status {
  LOCOMOTION_FIX_USED = 0,
  LOCOMOTION_FIX_RELOCATED = 1, /* the filter started again from it: it was somewhere else */
  LOCOMOTION_FIX_REJECTED = 2
};

/* Why a fix was rejected. */
enum locomotion_rejection {
  LOCOMOTION_REJECTION_NONE = -1, /* it was not */
  LOCOMOTION_REJECTION_IMPOSSIBLE_POSITION = 0,
  LOCOMOTION_REJECTION_NULL_ISLAND = 1,      /* exactly 0, 0 */
  LOCOMOTION_REJECTION_NO_ACCURACY = 2,      /* so bad that it says nothing */
  LOCOMOTION_REJECTION_DUPLICATE = 3,        /* the time of the newest fix */
  LOCOMOTION_REJECTION_OUT_OF_ORDER = 4,     /* earlier than the newest fix */
  LOCOMOTION_REJECTION_IMPLAUSIBLE_TIME = 5, /* a time that the next fix must confirm */
  LOCOMOTION_REJECTION_OUTLIER = 6           /* too far from where the phone can be */
};

/* What an item of a timeline is. The legs of a trip follow it and tile it. */
enum locomotion_item_type {
  LOCOMOTION_ITEM_STAY = 0,
  LOCOMOTION_ITEM_TRIP = 1,
  LOCOMOTION_ITEM_LEG = 2,
  LOCOMOTION_ITEM_GAP = 3 /* time that nothing is known about */
};

/* How much later data an answer about a recording uses. */
enum locomotion_form {
  LOCOMOTION_LIVE = 0,    /* none: what was known at the time */
  LOCOMOTION_LAGGED = 1,  /* of 10 s for activities, 6 s for fixes, 3 s for cadences */
  LOCOMOTION_SETTLED = 1, /* the name of LAGGED in version 0.1 */
  LOCOMOTION_SMOOTHED = 2 /* all of the recording; cadences as lagged */
};

/* The options of locomotion_create, to be combined by |. */
enum locomotion_options {
  LOCOMOTION_KEEP_RECORDING = 1 /* every sample and fix is kept, about 600 bytes for each */
};

/* ---- Structs: without padding, the same on every system ---- */

/* A fix of the phone's location service. Negative or not finite is unknown; of an altitude only
 * what is not finite. */
typedef struct {
  int64_t time;
  double latitude;
  double longitude;
  double altitude;
  double horizontal_accuracy; /* the radius, metres, that holds the position with 68 % */
  double vertical_accuracy;   /* one standard deviation, metres */
  double speed;
  double speed_accuracy; /* one standard deviation, m/s */
  double course;
  double course_accuracy; /* one standard deviation, degrees */
} locomotion_fix;

/* What the person was doing in one second of the sensors' clock. */
typedef struct {
  int64_t start; /* the first instant of the second */
  int64_t end;   /* the first instant after it */
  double latitude;
  double longitude;
  double radius68; /* metres, claimed to hold the true position with probability 0.68 */
  double speed;
  double speed_deviation; /* one standard deviation */
  double course;
  double altitude;           /* metres */
  double altitude_deviation; /* one standard deviation */
  double climb_rate;         /* m/s, up positive */
  double moving_probability; /* 0 to 1 */
  int64_t transition_began;  /* when the start or stop of this second was; 0 without one */
  int32_t moving;            /* LOCOMOTION_STATIONARY, … */
  int32_t transition;        /* the state that began, as it was decided in this second; or -1 */
  int32_t has_fix;           /* 1 when a fix arrived in the second, else 0 */
  int32_t has_accelerations; /* 1 when accelerations did; with 0 only fixes tell an activity */
  int32_t activity;          /* LOCOMOTION_ACTIVITY_… */
  int32_t unknown_reason;    /* LOCOMOTION_REASON_… */
  float probabilities[LOCOMOTION_ACTIVITY_COUNT]; /* by activity; they add up to 1 */
  float cadence;             /* steps per minute; NaN when the person does not step */
  float cadence_confidence;  /* 0 to 1 */
  float cadence_error;       /* one standard error, steps per minute */
  float steps;               /* counted in the second; fractions carry over */
  float horizontal_level;    /* RMS acceleration across the vertical, gravity removed, m/s² */
  float vertical_level;      /* the same along the vertical */
  float rotation_level;      /* RMS rotation rate, rad/s */
  float coverage;            /* the fraction of the second that accelerations cover, 0 to 1 */
  int32_t custom_activity;   /* which kind of the activity it is: locomotion_custom_activity; or -1 */
  /* The probability of each custom activity, given the activity that it is a kind of; 0 without. */
  float custom_probabilities[LOCOMOTION_CUSTOM_ACTIVITIES];
  int32_t reserved; /* 0 */
} locomotion_sample;

/* What the filter made of a fix. */
typedef struct {
  locomotion_fix fix; /* as it came, but for invalid values, which are NaN */
  double latitude;    /* the estimate at the time of the fix, with the fix taken in */
  double longitude;
  double radius68;
  double speed;
  double speed_deviation;
  double course;
  double altitude;
  double altitude_deviation;
  double moving_probability;
  int32_t moving;    /* LOCOMOTION_STATIONARY, … */
  int32_t status;    /* LOCOMOTION_FIX_… */
  int32_t rejection; /* LOCOMOTION_REJECTION_… */
  int32_t reserved;  /* 0 */
} locomotion_fix_report;

/* A stay, a trip, a leg of the trip before it, or a gap: start ..< end. */
typedef struct {
  int64_t start;
  int64_t end;
  double latitude; /* of a stay */
  double longitude;
  double radius68;
  double distance; /* of a trip or a leg, metres */
  double steps;
  double climb; /* metres up and down, not negative, with one standard deviation each */
  double climb_deviation;
  double descent;
  double descent_deviation;
  int32_t type;     /* LOCOMOTION_ITEM_… */
  int32_t activity; /* of a leg; of a trip the one that covers most of it */
  int32_t legs;     /* the number of legs that follow a trip, else 0 */
  int32_t is_final; /* 1 when no later measurement changes it, else 0 */
  int32_t custom_activity; /* of a leg, not in the live form: locomotion_custom_activity; or -1 */
  int32_t reserved;        /* 0 */
} locomotion_timeline_item;

/* What became of the samples of one sensor: received = kept + all that were dropped. */
typedef struct {
  int64_t received;
  int64_t kept;
  int64_t not_finite;
  int64_t out_of_range;
  int64_t duplicate;
  int64_t out_of_order;
  int64_t isolated;
  int64_t saturated;    /* of those kept */
  int64_t gaps;         /* interruptions that were too long to be filled */
  int64_t bridged_gaps; /* shorter ones, which were */
  int64_t clock_resets;
} locomotion_intake;

/* What came into a pipeline so far and what became of it. */
typedef struct {
  locomotion_intake accelerations;
  locomotion_intake rotation_rates;
  locomotion_intake pressures;
  int64_t fixes_used;
  int64_t fixes_relocated;
  int64_t fixes_rejected;
  int64_t fixes_waiting; /* for the accelerations of the time before them */
} locomotion_counts;

/* ---- Life ---- */

/* Creates a pipeline that has seen nothing, and stores its handle in `pipeline`.
 *
 * `model` is the content of a model file, `model_size` bytes; null and 0 for the built-in model.
 * `options` is 0 or LOCOMOTION_KEEP_RECORDING. A pipeline takes about 230 kB.
 *
 * NULL, ARGUMENT (a negative size, an option that does not exist), MODEL, MODEL_VERSION, TOO_MANY
 * (16,383 at a time). */
int32_t locomotion_create(
    const uint8_t *model, int64_t model_size, uint32_t options, locomotion_pipeline *pipeline);

/* Frees a pipeline. Its handle is an error from then on. HANDLE, BUSY. */
int32_t locomotion_destroy(locomotion_pipeline pipeline);

/* Makes the pipeline one that has seen nothing, with the same model and options; what was not
 * polled is lost. HANDLE, BUSY. */
int32_t locomotion_reset(locomotion_pipeline pipeline);

/* Stores the name of a custom activity of the pipeline's model in `name`, LOCOMOTION_CUSTOM_NAME
 * bytes, and the activity that it behaves like in `behaves_like`: LOCOMOTION_ACTIVITY_…, UNKNOWN for
 * none. HANDLE, BUSY, NULL, ALIGNMENT, ARGUMENT (an index that the model does not have). */
int32_t locomotion_custom_activity(
    locomotion_pipeline pipeline, int32_t index, char *name, int32_t *behaves_like);

/* ---- Measurements in ----
 *
 * Append what the sensors delivered since the last time, in any order of the sensors, then call
 * locomotion_process once: times decide which measurement is taken in first. Where the stream is
 * cut does not matter, as long as all sensors are cut at about the same time: one that comes seconds
 * after the others belongs to seconds that have ended. */

/* Appends accelerations, oldest first, m/s².
 *
 * `times` holds `count` times; `x`, `y` and `z` as many values each, `stride` places apart. A
 * stride of 1 is for three arrays; 3 for one array of x, y, z, x, y, z, …, with `y` = `x` + 1 and
 * `z` = `x` + 2.
 *
 * HANDLE, BUSY, NULL, ALIGNMENT, ARGUMENT (a count that is negative or above 2^28, a stride that is
 * below 1 or above 2^16), FINISHED. */
int32_t locomotion_append_accelerations(
    locomotion_pipeline pipeline, int64_t count, const int64_t *times, const float *x,
    const float *y, const float *z, int64_t stride);

/* Appends rotation rates, rad/s; the same as locomotion_append_accelerations. */
int32_t locomotion_append_rotation_rates(
    locomotion_pipeline pipeline, int64_t count, const int64_t *times, const float *x,
    const float *y, const float *z, int64_t stride);

/* Appends pressures of the air, hPa, `stride` places apart; errors as above. */
int32_t locomotion_append_pressures(
    locomotion_pipeline pipeline, int64_t count, const int64_t *times, const float *hectopascals,
    int64_t stride);

/* Appends fixes in the order in which they came; errors as above. */
int32_t locomotion_append_fixes(
    locomotion_pipeline pipeline, int64_t count, const locomotion_fix *fixes);

/* Takes in what was appended; what it completes can be polled. HANDLE, BUSY, FINISHED. */
int32_t locomotion_process(locomotion_pipeline pipeline);

/* Takes in what was appended and ends the recording: completes its last second and processes the
 * fixes that wait. From then on only what reads works. HANDLE, BUSY, FINISHED. */
int32_t locomotion_finish(locomotion_pipeline pipeline);

/* ---- Answers out ---- */

/* Moves the oldest samples that were not polled yet, at most `capacity`, to `samples`, and their
 * number to `count`: 0 when there are none. HANDLE, BUSY, NULL, ALIGNMENT, ARGUMENT. */
int32_t locomotion_poll_samples(
    locomotion_pipeline pipeline, locomotion_sample *samples, int64_t capacity, int64_t *count);

/* The same for fixes, in the order in which they were processed. */
int32_t locomotion_poll_fixes(
    locomotion_pipeline pipeline, locomotion_fix_report *fixes, int64_t capacity, int64_t *count);

/* Stores the timeline of all seconds so far in `items`, in order of time, and the number of its
 * items in `count`.
 *
 * `form` is LOCOMOTION_LIVE, which follows the stream; or LOCOMOTION_LAGGED or
 * LOCOMOTION_SMOOTHED, the latter being what `locomotion timeline` prints, for a pipeline that keeps
 * its recording.
 *
 * HANDLE, BUSY, NULL, ALIGNMENT, ARGUMENT, NOT_KEPT; CAPACITY, with the needed number in `count` and
 * nothing in `items`. */
int32_t locomotion_timeline(
    locomotion_pipeline pipeline, int32_t form, locomotion_timeline_item *items, int64_t capacity,
    int64_t *count);

/* The same, compared with a map: `map` is the content of a file of `locomotion map`, `map_size`
 * bytes, at most 2^28, which are copied. Trains and vehicles on roads are told apart by what is near,
 * which may divide a leg; `form` is LOCOMOTION_SMOOTHED or LOCOMOTION_LAGGED, whose locations are live.
 *
 * `network_distances`, null or as many as `items`, gets the length of each leg along the map, metres:
 * NaN where it knows none, and for other items. A trip's is the sum over its legs, of `distance` where
 * that is NaN. What is shown with the map must name its source: for one of OpenStreetMap its
 * contributors. Errors as above, and MAP. */
int32_t locomotion_timeline_on_map(
    locomotion_pipeline pipeline, int32_t form, const uint8_t *map, int64_t map_size,
    locomotion_timeline_item *items, double *network_distances, int64_t capacity, int64_t *count);

/* Stores what came in so far and what became of it. HANDLE, BUSY, NULL, ALIGNMENT. */
int32_t locomotion_counts_so_far(locomotion_pipeline pipeline, locomotion_counts *counts);

/* ---- Recordings, for pipelines with LOCOMOTION_KEEP_RECORDING ---- */

/* Stores all samples so far in `samples` and their number in `count`; `form` says how much of what
 * came later they use: LOCOMOTION_LIVE, LOCOMOTION_LAGGED or LOCOMOTION_SMOOTHED. Takes time and
 * memory in proportion to the recording. Errors as locomotion_timeline; a capacity of 0 asks for
 * the number. */
int32_t locomotion_recording_samples(
    locomotion_pipeline pipeline, int32_t form, locomotion_sample *samples, int64_t capacity,
    int64_t *count);

/* The same for all fixes so far. */
int32_t locomotion_recording_fixes(
    locomotion_pipeline pipeline, int32_t form, locomotion_fix_report *fixes, int64_t capacity,
    int64_t *count);

/* ---- Save and restore ---- */

/* Stores the state of the pipeline in `bytes`, with what was not polled and what is kept, and its
 * size in `size`: about 50 kB. The model is not part of it.
 *
 * HANDLE, BUSY, NULL, ARGUMENT, UNPROCESSED; CAPACITY, with the needed size in `size`. */
int32_t locomotion_save(
    locomotion_pipeline pipeline, uint8_t *bytes, int64_t capacity, int64_t *size);

/* Creates a pipeline that goes on where another one was saved, with the same answers, and stores its
 * handle in `pipeline`. Every build of the same version of the library reads what another wrote, on
 * any system. `model` and `model_size` are those that the saved pipeline was created with.
 *
 * NULL, ARGUMENT, MODEL, MODEL_VERSION, TOO_MANY; STATE, STATE_VERSION, STATE_MODEL. Damaged bytes
 * are an error and do no harm. */
int32_t locomotion_restore(
    const uint8_t *model, int64_t model_size, const uint8_t *bytes, int64_t size,
    locomotion_pipeline *pipeline);

#ifdef __cplusplus
}
#endif

#endif
