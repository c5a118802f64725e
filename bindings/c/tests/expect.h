/* What the tests have in common: an expectation that fails says where, and the program goes on. */
#ifndef EXPECT_H
#define EXPECT_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "certus.h"

static int failures = 0;

static inline void expect_status(const char *file, int line, const char *call, certus_status wanted,
                                 certus_status found) {
    char text[CERTUS_ERROR_BYTES];
    if (wanted == found) return;
    certus_last_error(text, sizeof text, NULL);
    fprintf(stderr, "%s:%d: %s: %s, and not: %s (last error: %s)\n", file, line, call,
            certus_status_text(found), certus_status_text(wanted), text);
    failures += 1;
}

static inline void expect_true(const char *file, int line, const char *what, int holds) {
    if (holds) return;
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, what);
    failures += 1;
}

/* EXPECT(CERTUS_OK, certus_...(...)); CHECK(a == b); */
#define EXPECT(wanted, call) expect_status(__FILE__, __LINE__, #call, (wanted), (call))
#define CHECK(condition) expect_true(__FILE__, __LINE__, #condition, (condition))

/* Whether the last error of this thread says something. */
static inline int says(const char *part) {
    char text[CERTUS_ERROR_BYTES];
    return certus_last_error(text, sizeof text, NULL) == CERTUS_OK && strstr(text, part) != NULL;
}

/* The end of a test: nothing is left in the table. */
static inline int finish(const char *name) {
    CHECK(certus_live_handles() == 0);
    printf("%s: %s\n", name, failures == 0 ? "ok" : "FAILED");
    return failures == 0 ? 0 : 1;
}

#endif
