/* Threads that share handles: every call is whole, a budget is spent once, and one of many frees. */
#include <pthread.h>
#include <stdlib.h>

#include "expect.h"

#define THREADS 8
#define ROUNDS 100

static certus_noise noise, freed;
static certus_filter filter;
static certus_mechanism mechanism;

struct work {
    int index;
    int failures;
    int paid;
    int frees;
    int64_t last[64];
    char spent[5000];
};

#define WANT(condition) (work->failures += !(condition))

static void *run(void *argument) {
    struct work *work = argument;
    certus_status status;
    certus_text output;
    char wrong[20], text[CERTUS_ERROR_BYTES];
    for (int i = 0; i < ROUNDS; i++) {
        int64_t values[64] = {0};
        WANT(certus_noise_fill(noise, work->last, 64) == CERTUS_OK);
        WANT(certus_noise_add(noise, values, 64) == CERTUS_OK);
        status = certus_filter_pay(filter, CERTUS_ADD_REMOVE, "pure(epsilon=1/1000)");
        WANT(status == CERTUS_OK || status == CERTUS_BUDGET);
        work->paid += status == CERTUS_OK;
        status = certus_filter_release(filter, mechanism, "41", 2, &output);
        WANT(status == CERTUS_OK || status == CERTUS_BUDGET);
        work->paid += status == CERTUS_OK;
        if (status == CERTUS_OK) WANT(certus_text_free(output) == CERTUS_OK);
        /* Used until somebody frees it, and never after. */
        status = certus_noise_fill(freed, values, 64);
        WANT(status == CERTUS_OK || status == CERTUS_BAD_HANDLE);
        if (i == ROUNDS / 2) work->frees += certus_noise_free(freed) == CERTUS_OK;
        if (i > ROUNDS / 2) WANT(status == CERTUS_BAD_HANDLE);
        /* The last error is this thread's own. */
        snprintf(text, sizeof text, "nothing%d(of=1)", work->index);
        certus_mechanism none;
        WANT(certus_mechanism_new(text, CERTUS_DEFAULT, &none) == CERTUS_BAD_ARGUMENT);
        snprintf(wrong, sizeof wrong, "nothing%d", work->index);
        WANT(says(wrong));
    }
    return NULL;
}

/* Of threads that save one budget, one has it. */
static void *save(void *argument) {
    struct work *work = argument;
    certus_text saved;
    certus_status status = certus_filter_save(filter, &saved);
    WANT(status == CERTUS_OK || status == CERTUS_BAD_HANDLE);
    if (status == CERTUS_OK) {
        work->frees += 1;
        WANT(certus_text_read(saved, work->spent, sizeof work->spent, NULL) == CERTUS_OK);
        WANT(certus_text_free(saved) == CERTUS_OK);
    }
    return NULL;
}

static void in_threads(void *(*body)(void *), struct work *works) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        memset(&works[i], 0, sizeof works[i]);
        works[i].index = i;
        CHECK(pthread_create(&threads[i], NULL, body, &works[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(works[i].failures == 0);
    }
}

int main(void) {
    static struct work works[THREADS];
    char spent[100];
    int paid = 0, frees = 0, saves = 0;
    EXPECT(CERTUS_OK, certus_gaussian_new("1000", CERTUS_DEFAULT, &noise));
    EXPECT(CERTUS_OK, certus_laplace_new("1000", CERTUS_FIXED, &freed));
    EXPECT(CERTUS_OK, certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=1)", &filter));
    EXPECT(CERTUS_OK, certus_mechanism_new("laplace(scale=1000)", CERTUS_DEFAULT, &mechanism));
    in_threads(run, works);
    for (int i = 0; i < THREADS; i++) {
        paid += works[i].paid;
        frees += works[i].frees;
        for (int j = 0; j < i; j++) CHECK(memcmp(works[i].last, works[j].last, sizeof works[i].last) != 0);
    }
    /* 1600 payments of 1/1000 were tried. */
    CHECK(paid == 1000 && frees == 1);
    EXPECT(CERTUS_OK, certus_filter_spent(filter, spent, sizeof spent, NULL));
    CHECK(strcmp(spent, "pure(epsilon=1)") == 0);
    in_threads(save, works);
    for (int i = 0; i < THREADS; i++) saves += works[i].frees;
    CHECK(saves == 1);
    EXPECT(CERTUS_OK, certus_noise_free(noise));
    EXPECT(CERTUS_OK, certus_mechanism_free(mechanism));
    return finish("threads");
}
