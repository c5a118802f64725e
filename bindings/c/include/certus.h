/*
 * certus: exact differential-privacy noise, mechanisms, accounts and budgets.
 * Made by cbindgen from bindings/c/src: do not edit it.
 *
 * Handles are numbers, not pointers. One that is null ({0}), was freed, is of another kind or was never
 * made is CERTUS_BAD_HANDLE, always; no number is given out twice. Where a function makes a handle, the
 * place for it holds the null handle unless CERTUS_OK is returned.
 *
 * Numbers are exact texts: "5/2", "0.1", "1e-6". Texts are UTF-8 and end with a zero byte, or have a length.
 *
 * A pointer must point to memory of the stated size that is valid for the call, or be NULL, which is an
 * error unless its description allows it.
 *
 * Threads: every function may be called by any thread at any time, with any handle, also while others use
 * or free it. The memory that a call is given belongs to that call while it lasts. Each thread has the text
 * of its own last error.
 *
 * Fork: a child draws other noise than its parent. It may use and free handles, but neither spends nor saves
 * a budget that its parent made (CERTUS_FORKED). If the parent has other threads, none of them may be inside
 * a function of this library while it forks.
 *
 * README.md says the rest, also what the time of a call tells.
 */

#ifndef CERTUS_H
#define CERTUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define CERTUS_MUST_USE __attribute__((warn_unused_result))
#else
#define CERTUS_MUST_USE
#endif

// The lower bound of an answer: an exact fraction.
#define CERTUS_LOWER 1

// The upper bound of an answer: an exact fraction.
#define CERTUS_UPPER 2

// The method that found an answer.
#define CERTUS_METHOD 3

// The most bytes of a text that ends with a zero byte, which is not counted.
#define CERTUS_MOST_TEXT (1 << 16)

// Laplace noise.
#define CERTUS_LAPLACE 1

// Gaussian noise.
#define CERTUS_GAUSSIAN 2

// The scale that was found, or sigma.
#define CERTUS_SCALE 1

// The scale is a multiple of this.
#define CERTUS_STEP 2

// The mechanism of that scale.
#define CERTUS_SPEC 3

// Its delta is at least this.
#define CERTUS_DELTA_LOWER 4

// Its delta is at most this, which is at most the one asked for.
#define CERTUS_DELTA_UPPER 5

// Which smaller multiples are certified to fail: "every", "next" or "nothing".
#define CERTUS_EXCLUDED 6

// Of noise, CERTUS_PREPARED; of a mechanism, CERTUS_REFERENCE.
#define CERTUS_DEFAULT 0

// Tables that are built once: the fastest. Its time depends on the noise.
#define CERTUS_PREPARED 1

// Work that says nothing about the noise, up to a scale of 2^56: for where somebody can measure the time.
#define CERTUS_FIXED 2

// The short, proven one; nothing is built beforehand. Its time depends on the noise.
#define CERTUS_REFERENCE 3

// Of a plan: the neighbours that its mechanisms are for.
#define CERTUS_AS_STATED 0

// One input has a person's record more than the other.
#define CERTUS_ADD_REMOVE 1

// Inputs have the same number of records, and differ in one person's.
#define CERTUS_CHANGE_ONE 2

// A buffer of so many bytes takes every error's text.
#define CERTUS_ERROR_BYTES 1024

// What every function returns: CERTUS_OK, or one of the errors that follow.
typedef int32_t certus_status;

// What an account answers. {0} is the null handle.
typedef struct {
  // A number that means nothing but to this library.
  uint64_t id;
} certus_answer;

// A scale that was found. {0} is the null handle.
typedef struct {
  // A number that means nothing but to this library.
  uint64_t id;
} certus_calibration;

// A budget. {0} is the null handle.
typedef struct {
  // A number that means nothing but to this library.
  uint64_t id;
} certus_filter;

// A mechanism. {0} is the null handle.
typedef struct {
  // A number that means nothing but to this library.
  uint64_t id;
} certus_mechanism;

// A text that was made once, to be read as often as one likes. {0} is the null handle.
typedef struct {
  // A number that means nothing but to this library.
  uint64_t id;
} certus_text;

// Laplace or Gaussian noise. {0} is the null handle.
typedef struct {
  // A number that means nothing but to this library.
  uint64_t id;
} certus_noise;

// Mechanisms that run on the same data. {0} is the null handle.
typedef struct {
  // A number that means nothing but to this library.
  uint64_t id;
} certus_plan;

// The call did what it says.
#define CERTUS_OK 0

// A handle is null, was freed, is of another kind, or was never made.
#define CERTUS_BAD_HANDLE 1

// A pointer is NULL where it must not be.
#define CERTUS_NULL 2

// A pointer is not aligned for what it points to.
#define CERTUS_MISALIGNED 3

// A text is not UTF-8.
#define CERTUS_BAD_UTF8 4

// A text has more than CERTUS_MOST_TEXT bytes, or a length is more than memory can hold.
#define CERTUS_TOO_LONG 5

// A buffer is too short for a text; nothing is lost, and `needed` says how long it must be.
#define CERTUS_SHORT_BUFFER 6

// A parameter is refused: a number, a spec, a constant.
#define CERTUS_BAD_ARGUMENT 7

// The data are not an input of the mechanism.
#define CERTUS_BAD_INPUT 8

// A sample, or a value with its noise, does not fit 64 bits.
#define CERTUS_OVERFLOW 9

// The budget does not suffice; nothing was spent, and nothing was drawn.
#define CERTUS_BUDGET 10

// A cost is of another kind, or for other neighbours, than the budget counts.
#define CERTUS_BAD_COST 11

// A fork copied this budget: it is spent, and saved, by the process that made it alone.
#define CERTUS_FORKED 12

// The operating system gave no randomness.
#define CERTUS_RANDOMNESS 13

// There is not enough memory.
#define CERTUS_MEMORY 14

// There is no answer to the question: no epsilon suffices, or none is found within bounds.
#define CERTUS_NO_ANSWER 15

// A bug of this library; what was asked for was not done, but a budget may have paid for it.
#define CERTUS_INTERNAL 16

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The bounds as doubles, rounded outward: the truth is from lower to upper.
CERTUS_MUST_USE certus_status certus_answer_bounds(certus_answer answer, double *lower, double *upper);

// CERTUS_LOWER, CERTUS_UPPER or CERTUS_METHOD of an answer, into a buffer as certus_text_read.
CERTUS_MUST_USE
certus_status certus_answer_text(certus_answer answer,
                                 int32_t field,
                                 char *buffer,
                                 size_t capacity,
                                 size_t *needed);

// Whether an answer is as narrow as its digits ask, and whether its lower bound is the mechanisms' own, too
// (otherwise only the upper one says something of them): 1 or 0.
CERTUS_MUST_USE certus_status certus_answer_is(certus_answer answer, int32_t *narrow, int32_t *attained);

// Frees an answer.
certus_status certus_answer_free(certus_answer answer);

// The smallest scale of noise on a grid that is certified to meet (epsilon, delta).
//
// noise: CERTUS_LAPLACE or CERTUS_GAUSSIAN. epsilon: above 0. delta: from 0 to below 1, above 0 for Gaussian
// noise; NULL is 0. sensitivity: the distance between the true answers of neighbours, 0 for 1. Of vectors of
// so many coordinates (0: one answer), sensitivity2, if not 0, is the square of their L2 distance. step: the
// scale is a multiple of it; NULL for a power of ten, about a thousandth of the answer.
CERTUS_MUST_USE
certus_status certus_calibrate(int32_t noise,
                               const char *epsilon,
                               const char *delta,
                               uint64_t sensitivity,
                               uint64_t sensitivity2,
                               uint64_t coordinates,
                               const char *step,
                               certus_calibration *calibration);

// CERTUS_SCALE, CERTUS_STEP, CERTUS_SPEC, CERTUS_DELTA_LOWER, CERTUS_DELTA_UPPER or CERTUS_EXCLUDED, into a
// buffer as certus_text_read.
CERTUS_MUST_USE
certus_status certus_calibration_text(certus_calibration calibration,
                                      int32_t field,
                                      char *buffer,
                                      size_t capacity,
                                      size_t *needed);

// Frees a calibration.
certus_status certus_calibration_free(certus_calibration calibration);

// A budget with nothing spent.
//
// relation: CERTUS_ADD_REMOVE or CERTUS_CHANGE_ONE. budget: "pure(epsilon=1)",
// "approximate(epsilon=1, delta=1e-6)", "zcdp(rho=1/2)" or "renyi(alpha=4, epsilon=1)".
CERTUS_MUST_USE certus_status certus_filter_new(int32_t relation, const char *budget, certus_filter *filter);

// Pays a cost, written as a budget and for these neighbours, if the budget suffices.
//
// To be called before what is paid for is drawn. CERTUS_BUDGET if it does not suffice. Nothing is spent
// unless CERTUS_OK is returned.
CERTUS_MUST_USE certus_status certus_filter_pay(certus_filter filter, int32_t relation, const char *cost);

// Pays what a mechanism costs, so many times as its spec says ("laplace(scale=10)*3"). As certus_filter_pay.
//
// What is for add/remove neighbours is taken as two steps by a budget for change-one ones; where a spec's
// sensitivity is somebody's word, it is taken to be for the budget's neighbours.
CERTUS_MUST_USE certus_status certus_filter_pay_spec(certus_filter filter, const char *spec);

// Pays for a release and draws it: certus_filter_pay_spec and certus_mechanism_release in one call.
//
// Everything is checked and the randomness had before anything is paid, and it is paid before anything is
// drawn. Nothing is spent unless CERTUS_OK is returned (but if the random source fails halfway, or by a bug
// of this library: CERTUS_RANDOMNESS, CERTUS_INTERNAL).
CERTUS_MUST_USE
certus_status certus_filter_release(certus_filter filter,
                                    certus_mechanism mechanism,
                                    const char *input,
                                    size_t length,
                                    certus_text *output);

// What has been spent, written as a budget, into a buffer as certus_text_read.
CERTUS_MUST_USE
certus_status certus_filter_spent(certus_filter filter,
                                  char *buffer,
                                  size_t capacity,
                                  size_t *needed);

// What is left, written as a budget, into a buffer as certus_text_read: paying it is admitted.
CERTUS_MUST_USE
certus_status certus_filter_remaining(certus_filter filter,
                                      char *buffer,
                                      size_t capacity,
                                      size_t *needed);

// Takes a budget out of this process, as a text to be read, kept and freed. The filter's handle is freed.
//
// If anything is wrong, the budget stays where it is.
CERTUS_MUST_USE certus_status certus_filter_save(certus_filter filter, certus_text *saved);

// The budget of a saved text, with what was spent of it.
//
// A text that is restored twice is spent twice, and nothing here can see that: restore it once, and save it
// again when you are done.
CERTUS_MUST_USE certus_status certus_filter_restore(const char *saved, certus_filter *filter);

// Frees a budget: what is left of it is gone.
certus_status certus_filter_free(certus_filter filter);

// How many handles, of all kinds, have been made and not freed: 0 where nothing is leaked.
size_t certus_live_handles(void);

// A mechanism, named as everywhere: name(key=value, ...).
//
// sampler: CERTUS_DEFAULT, or for Laplace and Gaussian noise another.
CERTUS_MUST_USE
certus_status certus_mechanism_new(const char *spec,
                                   int32_t sampler,
                                   certus_mechanism *mechanism);

// The canonical spec of a mechanism, into a buffer as certus_text_read.
CERTUS_MUST_USE
certus_status certus_mechanism_spec(certus_mechanism mechanism,
                                    char *buffer,
                                    size_t capacity,
                                    size_t *needed);

// One release on data, which costs what the mechanism costs: nothing is booked anywhere.
//
// input: length bytes of text as the command's --input takes it, for example "3" or "1,0,2"; NULL if length
// is 0. output: a new text, to be read and freed: the command's output. What an error says does not depend
// on the data; that there is one does.
CERTUS_MUST_USE
certus_status certus_mechanism_release(certus_mechanism mechanism,
                                       const char *input,
                                       size_t length,
                                       certus_text *output);

// Frees a mechanism.
certus_status certus_mechanism_free(certus_mechanism mechanism);

// Discrete Laplace noise: P(k) is proportional to e^(-|k|/scale) on all integers k.
//
// scale: a number above 0 as exact text, such as "5/2" or "0.1". sampler: CERTUS_DEFAULT, CERTUS_PREPARED,
// CERTUS_FIXED or CERTUS_REFERENCE; all draw from the same distribution, exactly.
CERTUS_MUST_USE certus_status certus_laplace_new(const char *scale, int32_t sampler, certus_noise *noise);

// Discrete Gaussian noise: P(k) is proportional to e^(-k^2/(2*sigma^2)) on all integers k. As
// certus_laplace_new.
CERTUS_MUST_USE certus_status certus_gaussian_new(const char *sigma, int32_t sampler, certus_noise *noise);

// As certus_gaussian_new, of the square of sigma, which may be rational where sigma is not.
CERTUS_MUST_USE
certus_status certus_gaussian_new_squared(const char *sigma2,
                                          int32_t sampler,
                                          certus_noise *noise);

// The sampler that draws: noise too wide for tables is drawn by CERTUS_REFERENCE.
CERTUS_MUST_USE certus_status certus_noise_sampler(certus_noise noise, int32_t *sampler);

// Writes n independent samples to out, which need not hold anything before. out may be NULL if n is 0.
//
// If a sample does not fit 64 bits (CERTUS_OVERFLOW), or there is no randomness, out holds zeros, which are
// NO noise. Other errors leave out as it was.
CERTUS_MUST_USE certus_status certus_noise_fill(certus_noise noise, int64_t *out, size_t n);

// Adds an independent sample to each of n values. values may be NULL if n is 0.
//
// If a sum does not fit 64 bits (CERTUS_OVERFLOW), or there is no randomness, the values are zeros: whoever
// overlooks the error publishes nothing. Do not try again until it fits, since that changes the
// distribution. After a bad handle or pointer they are what they were, hence still private.
CERTUS_MUST_USE certus_status certus_noise_add(certus_noise noise, int64_t *values, size_t n);

// Frees noise.
certus_status certus_noise_free(certus_noise noise);

// Mechanisms that run on the same data, adaptively or not.
//
// specs: n texts, each perhaps with copies ("gaussian(sigma=10)*100"). relation: CERTUS_AS_STATED,
// CERTUS_ADD_REMOVE or CERTUS_CHANGE_ONE, which takes what is for add/remove neighbours as two steps.
CERTUS_MUST_USE
certus_status certus_plan_new(const char *const *specs,
                              size_t n,
                              int32_t relation,
                              certus_plan *plan);

// The smallest delta at an epsilon, to so many significant digits, or 0 for the default.
CERTUS_MUST_USE
certus_status certus_plan_delta(certus_plan plan,
                                const char *epsilon,
                                uint32_t digits,
                                certus_answer *answer);

// The smallest epsilon at a delta, to so many significant digits, or 0 for the default.
CERTUS_MUST_USE
certus_status certus_plan_epsilon(certus_plan plan,
                                  const char *delta,
                                  uint32_t digits,
                                  certus_answer *answer);

// Frees a plan.
certus_status certus_plan_free(certus_plan plan);

// The version of this library, such as "0.1.0"; it is never freed.
const char *certus_version(void);

// A few words for a status; they are never freed, and never NULL.
const char *certus_status_text(certus_status status);

// The text of the last error of this thread: which argument, and what is accepted. It is empty before the
// first one, and what succeeds leaves it alone. It never depends on private data.
//
// A buffer of CERTUS_ERROR_BYTES is always long enough. needed (or NULL) takes the bytes with the last 0.
certus_status certus_last_error(char *buffer, size_t capacity, size_t *needed);

// FOR TESTS ONLY, NOT PRIVATE: certus_noise_fill from the beginning of the stream of a seed, 1 to 64
// hexadecimal digits, as the command's --seed.
CERTUS_MUST_USE
certus_status certus_testing_noise_fill(certus_noise noise,
                                        const char *seed,
                                        int64_t *out,
                                        size_t n);

// FOR TESTS ONLY, NOT PRIVATE: certus_noise_add, as certus_testing_noise_fill.
CERTUS_MUST_USE
certus_status certus_testing_noise_add(certus_noise noise,
                                       const char *seed,
                                       int64_t *values,
                                       size_t n);

// FOR TESTS ONLY, NOT PRIVATE: certus_mechanism_release, as certus_testing_noise_fill.
CERTUS_MUST_USE
certus_status certus_testing_mechanism_release(certus_mechanism mechanism,
                                               const char *seed,
                                               const char *input,
                                               size_t length,
                                               certus_text *output);

// FOR TESTS ONLY: panics, as a bug would; what returns is CERTUS_INTERNAL.
CERTUS_MUST_USE certus_status certus_testing_panic(void);

// Copies a text into a buffer of capacity bytes. needed (or NULL) takes the bytes with the last 0.
//
// A buffer that is too short is CERTUS_SHORT_BUFFER, and takes the empty text; one of capacity 0 may be
// NULL. The text stays as it is until it is freed, and may be read again.
CERTUS_MUST_USE
certus_status certus_text_read(certus_text text,
                               char *buffer,
                               size_t capacity,
                               size_t *needed);

// Frees a text.
certus_status certus_text_free(certus_text text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CERTUS_H */
