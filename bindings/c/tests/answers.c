/* Answers a question as the command does, for `check` to compare:
 *   answers fill   laplace|gaussian NUMBER prepared|fixed|reference SEED N
 *   answers release SPEC SEED INPUT
 *   answers delta EPSILON DIGITS SPEC ...          two lines: the bounds as doubles, and the method
 *   answers epsilon DELTA DIGITS SPEC ...
 *   answers calibrate laplace|gaussian EPSILON DELTA     three lines: step, spec, excluded */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certus.h"

static void check(certus_status status) {
    char text[CERTUS_ERROR_BYTES];
    if (status == CERTUS_OK) return;
    certus_last_error(text, sizeof text, NULL);
    fprintf(stderr, "answers: %s: %s\n", certus_status_text(status), text);
    exit(1);
}

static void usage(void) {
    fprintf(stderr, "answers: the arguments are in tests/answers.c\n");
    exit(2);
}

static void fill(char **arguments) {
    certus_noise noise;
    const char *by = arguments[2];
    int32_t sampler = strcmp(by, "prepared") == 0 ? CERTUS_PREPARED
                      : strcmp(by, "fixed") == 0  ? CERTUS_FIXED
                                                  : CERTUS_REFERENCE;
    size_t n = strtoul(arguments[4], NULL, 10);
    int64_t *out = malloc((n + 1) * sizeof *out);
    if (out == NULL) usage();
    if (strcmp(arguments[0], "laplace") == 0)
        check(certus_laplace_new(arguments[1], sampler, &noise));
    else
        check(certus_gaussian_new(arguments[1], sampler, &noise));
    check(certus_testing_noise_fill(noise, arguments[3], out, n));
    for (size_t i = 0; i < n; i++) printf("%" PRId64 "\n", out[i]);
    free(out);
    check(certus_noise_free(noise));
}

static void release(char **arguments) {
    certus_mechanism mechanism;
    certus_text output;
    static char text[1 << 20];
    check(certus_mechanism_new(arguments[0], CERTUS_DEFAULT, &mechanism));
    check(certus_testing_mechanism_release(mechanism, arguments[1], arguments[2], strlen(arguments[2]), &output));
    check(certus_text_read(output, text, sizeof text, NULL));
    puts(text);
    check(certus_text_free(output));
    check(certus_mechanism_free(mechanism));
}

static void account(int is_delta, int count, char **arguments) {
    certus_plan plan;
    certus_answer answer;
    double lower, upper;
    char text[1000];
    uint32_t digits = (uint32_t)strtoul(arguments[1], NULL, 10);
    check(certus_plan_new((const char *const *)(arguments + 2), (size_t)count - 2, CERTUS_AS_STATED, &plan));
    if (is_delta)
        check(certus_plan_delta(plan, arguments[0], digits, &answer));
    else
        check(certus_plan_epsilon(plan, arguments[0], digits, &answer));
    check(certus_answer_bounds(answer, &lower, &upper));
    check(certus_answer_text(answer, CERTUS_METHOD, text, sizeof text, NULL));
    printf("%.17g %.17g\n%s\n", lower, upper, text);
    check(certus_answer_free(answer));
    check(certus_plan_free(plan));
}

static void calibrate(char **arguments) {
    certus_calibration found;
    char text[5000];
    int32_t noise = strcmp(arguments[0], "laplace") == 0 ? CERTUS_LAPLACE : CERTUS_GAUSSIAN;
    check(certus_calibrate(noise, arguments[1], arguments[2], 0, 0, 0, NULL, &found));
    for (int32_t field = CERTUS_STEP; field <= CERTUS_EXCLUDED; field++) {
        check(certus_calibration_text(found, field, text, sizeof text, NULL));
        if (field != CERTUS_DELTA_LOWER && field != CERTUS_DELTA_UPPER) puts(text);
    }
    check(certus_calibration_free(found));
}

int main(int count, char **arguments) {
    if (count == 7 && strcmp(arguments[1], "fill") == 0)
        fill(arguments + 2);
    else if (count == 5 && strcmp(arguments[1], "release") == 0)
        release(arguments + 2);
    else if (count >= 5 && strcmp(arguments[1], "delta") == 0)
        account(1, count - 2, arguments + 2);
    else if (count >= 5 && strcmp(arguments[1], "epsilon") == 0)
        account(0, count - 2, arguments + 2);
    else if (count == 5 && strcmp(arguments[1], "calibrate") == 0)
        calibrate(arguments + 2);
    else
        usage();
    return 0;
}
