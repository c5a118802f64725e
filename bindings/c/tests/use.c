/* Everything, used as it is meant to be. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

#define N 1000

static void noise_is_drawn_and_added(int32_t sampler) {
    certus_noise noise[3] = {{0}, {0}, {0}};
    int64_t drawn[N], values[N], again[N];
    int32_t by = 0;
    EXPECT(CERTUS_OK, certus_laplace_new("5/2", sampler, &noise[0]));
    EXPECT(CERTUS_OK, certus_gaussian_new("10", sampler, &noise[1]));
    EXPECT(CERTUS_OK, certus_gaussian_new_squared("7/3", sampler, &noise[2]));
    for (int kind = 0; kind < 3; kind++) {
        int different = 0;
        EXPECT(CERTUS_OK, certus_noise_sampler(noise[kind], &by));
        CHECK(by == (sampler == CERTUS_DEFAULT ? CERTUS_PREPARED : sampler));
        /* Of a seed, what is added is what is drawn. */
        EXPECT(CERTUS_OK, certus_testing_noise_fill(noise[kind], "2a", drawn, N));
        for (int i = 0; i < N; i++) values[i] = 7 * i;
        EXPECT(CERTUS_OK, certus_testing_noise_add(noise[kind], "2a", values, N));
        for (int i = 0; i < N; i++) CHECK(values[i] == 7 * i + drawn[i]);
        /* Without one, two draws differ, and the added noise is small beside 10^6. */
        EXPECT(CERTUS_OK, certus_noise_fill(noise[kind], drawn, N));
        EXPECT(CERTUS_OK, certus_noise_fill(noise[kind], again, N));
        for (int i = 0; i < N; i++) different += drawn[i] != again[i];
        CHECK(different > N / 4);
        for (int i = 0; i < N; i++) values[i] = 1000000 + i;
        EXPECT(CERTUS_OK, certus_noise_add(noise[kind], values, N));
        different = 0;
        for (int i = 0; i < N; i++) different += values[i] != 1000000 + i;
        CHECK(different > N / 4);
        for (int i = 0; i < N; i++) CHECK(values[i] > 999000 && values[i] < 1002000);
        EXPECT(CERTUS_OK, certus_noise_free(noise[kind]));
    }
}

static void mechanisms_release(void) {
    certus_mechanism mechanism;
    certus_text output;
    char buffer[100];
    size_t needed = 0;
    EXPECT(CERTUS_OK, certus_mechanism_new("histogram( keys = 3, scale = 2.0 )", CERTUS_DEFAULT, &mechanism));
    EXPECT(CERTUS_OK, certus_mechanism_spec(mechanism, buffer, sizeof buffer, &needed));
    CHECK(strcmp(buffer, "histogram(keys=3, scale=2)") == 0 && needed == strlen(buffer) + 1);
    EXPECT(CERTUS_OK, certus_mechanism_release(mechanism, "0,2,2 and more", 5, &output));
    EXPECT(CERTUS_OK, certus_text_read(output, buffer, sizeof buffer, &needed));
    CHECK(needed == strlen(buffer) + 1 && strchr(buffer, ',') != NULL);
    EXPECT(CERTUS_OK, certus_text_free(output));
    /* No records at all. */
    EXPECT(CERTUS_OK, certus_mechanism_release(mechanism, NULL, 0, &output));
    EXPECT(CERTUS_OK, certus_text_free(output));
    EXPECT(CERTUS_OK, certus_mechanism_free(mechanism));
    /* By the sampler whose work says nothing, and a sum that no 64 bits hold. */
    EXPECT(CERTUS_OK, certus_mechanism_new("laplace(scale=10)", CERTUS_FIXED, &mechanism));
    EXPECT(CERTUS_OK, certus_mechanism_release(mechanism, "123456789012345678901234567890", 30, &output));
    EXPECT(CERTUS_OK, certus_text_read(output, buffer, sizeof buffer, NULL));
    CHECK(strncmp(buffer, "1234567890123456789012345", 25) == 0 && strlen(buffer) == 30);
    EXPECT(CERTUS_OK, certus_text_free(output));
    EXPECT(CERTUS_OK, certus_mechanism_free(mechanism));
}

static void plans_are_accounted_for(void) {
    const char *specs[] = {"gaussian(sigma=10)*100", "laplace(scale=20)*5"};
    certus_plan plan;
    certus_answer answer;
    double lower = -1, upper = -1;
    int32_t narrow = -1, attained = -1;
    char text[5000];
    EXPECT(CERTUS_OK, certus_plan_new(specs, 2, CERTUS_AS_STATED, &plan));
    EXPECT(CERTUS_OK, certus_plan_delta(plan, "1", 0, &answer));
    EXPECT(CERTUS_OK, certus_answer_bounds(answer, &lower, &upper));
    CHECK(lower > 0.1 && lower <= upper && upper < 0.2 && upper - lower < 1e-12);
    EXPECT(CERTUS_OK, certus_answer_is(answer, &narrow, &attained));
    CHECK(narrow == 1 && attained == 1);
    EXPECT(CERTUS_OK, certus_answer_text(answer, CERTUS_METHOD, text, sizeof text, NULL));
    CHECK(strlen(text) > 0);
    EXPECT(CERTUS_OK, certus_answer_text(answer, CERTUS_LOWER, text, sizeof text, NULL));
    CHECK(strchr(text, '/') != NULL);
    EXPECT(CERTUS_OK, certus_answer_free(answer));
    EXPECT(CERTUS_OK, certus_plan_epsilon(plan, "1e-6", 4, &answer));
    EXPECT(CERTUS_OK, certus_answer_bounds(answer, &lower, &upper));
    CHECK(lower > 4.9 && lower <= upper && upper < 5);
    EXPECT(CERTUS_OK, certus_answer_free(answer));
    EXPECT(CERTUS_OK, certus_plan_free(plan));
}

static void scales_are_calibrated(void) {
    certus_calibration found;
    char text[5000];
    EXPECT(CERTUS_OK, certus_calibrate(CERTUS_LAPLACE, "1/2", NULL, 0, 0, 0, NULL, &found));
    EXPECT(CERTUS_OK, certus_calibration_text(found, CERTUS_SCALE, text, sizeof text, NULL));
    CHECK(strcmp(text, "2") == 0);
    EXPECT(CERTUS_OK, certus_calibration_text(found, CERTUS_SPEC, text, sizeof text, NULL));
    CHECK(strcmp(text, "laplace(scale=2)") == 0);
    EXPECT(CERTUS_OK, certus_calibration_text(found, CERTUS_EXCLUDED, text, sizeof text, NULL));
    CHECK(strcmp(text, "every") == 0);
    EXPECT(CERTUS_OK, certus_calibration_free(found));
    EXPECT(CERTUS_OK, certus_calibrate(CERTUS_GAUSSIAN, "1", "1e-5", 0, 12, 1, "1", &found));
    EXPECT(CERTUS_OK, certus_calibration_text(found, CERTUS_SPEC, text, sizeof text, NULL));
    CHECK(strcmp(text, "gaussian(sigma=12, sensitivity=3)") == 0);
    EXPECT(CERTUS_OK, certus_calibration_free(found));
}

static int spent_is(certus_filter filter, const char *wanted) {
    char text[200];
    return certus_filter_spent(filter, text, sizeof text, NULL) == CERTUS_OK && strcmp(text, wanted) == 0;
}

static void budgets_are_kept(void) {
    certus_filter filter, restored;
    certus_mechanism mechanism;
    certus_text output, saved;
    char text[1000];
    EXPECT(CERTUS_OK, certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=1)", &filter));
    EXPECT(CERTUS_OK, certus_filter_pay(filter, CERTUS_ADD_REMOVE, "pure(epsilon=0.25)"));
    EXPECT(CERTUS_OK, certus_filter_pay_spec(filter, "laplace(scale=16)*4"));
    CHECK(spent_is(filter, "pure(epsilon=1/2)"));
    EXPECT(CERTUS_OK, certus_mechanism_new("laplace(scale=4)", CERTUS_DEFAULT, &mechanism));
    EXPECT(CERTUS_OK, certus_filter_release(filter, mechanism, "41", 2, &output));
    EXPECT(CERTUS_OK, certus_text_free(output));
    CHECK(spent_is(filter, "pure(epsilon=3/4)"));
    EXPECT(CERTUS_OK, certus_filter_remaining(filter, text, sizeof text, NULL));
    CHECK(strcmp(text, "pure(epsilon=1/4)") == 0);
    /* Saved, it is gone from here; restored, it has what is left. */
    EXPECT(CERTUS_OK, certus_filter_save(filter, &saved));
    EXPECT(CERTUS_BAD_HANDLE, certus_filter_pay(filter, CERTUS_ADD_REMOVE, "pure(epsilon=0)"));
    EXPECT(CERTUS_BAD_HANDLE, certus_filter_free(filter));
    EXPECT(CERTUS_OK, certus_text_read(saved, text, sizeof text, NULL));
    EXPECT(CERTUS_OK, certus_text_free(saved));
    EXPECT(CERTUS_OK, certus_filter_restore(text, &restored));
    CHECK(spent_is(restored, "pure(epsilon=3/4)"));
    EXPECT(CERTUS_OK, certus_filter_release(restored, mechanism, "41", 2, &output));
    EXPECT(CERTUS_OK, certus_text_free(output));
    /* All of it is spent: refused, nothing drawn, nothing spent. */
    EXPECT(CERTUS_BUDGET, certus_filter_release(restored, mechanism, "41", 2, &output));
    CHECK(output.id == 0 && says("nothing was spent") && spent_is(restored, "pure(epsilon=1)"));
    EXPECT(CERTUS_BUDGET, certus_filter_pay_spec(restored, "laplace(scale=1e9)"));
    EXPECT(CERTUS_OK, certus_filter_free(restored));
    EXPECT(CERTUS_OK, certus_mechanism_free(mechanism));
    /* A mechanism for add/remove neighbours costs a budget for change-one ones two steps. */
    EXPECT(CERTUS_OK, certus_filter_new(CERTUS_CHANGE_ONE, "zcdp(rho=1)", &filter));
    EXPECT(CERTUS_OK, certus_filter_pay_spec(filter, "gaussian(sigma=1)"));
    CHECK(spent_is(filter, "zcdp(rho=1/2)"));
    EXPECT(CERTUS_OK, certus_filter_free(filter));
    EXPECT(CERTUS_OK, certus_filter_new(CERTUS_CHANGE_ONE, "renyi(alpha=4, epsilon=1)", &filter));
    EXPECT(CERTUS_OK, certus_filter_free(filter));
    EXPECT(CERTUS_OK, certus_filter_new(CERTUS_CHANGE_ONE, "approximate(delta=1e-6, epsilon=1)", &filter));
    EXPECT(CERTUS_OK, certus_filter_pay(filter, CERTUS_CHANGE_ONE, "pure(epsilon=1/3)"));
    CHECK(spent_is(filter, "approximate(epsilon=1/3, delta=0)"));
    EXPECT(CERTUS_OK, certus_filter_free(filter));
}

/* A child draws other noise, and neither spends nor saves its parent's budget. */
static void a_fork_copies_nothing_that_counts(void) {
    certus_noise noise;
    certus_filter filter;
    int64_t parents[50], childs[50];
    int pipes[2], status = -1;
    EXPECT(CERTUS_OK, certus_gaussian_new("1000", CERTUS_DEFAULT, &noise));
    EXPECT(CERTUS_OK, certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=1)", &filter));
    CHECK(pipe(pipes) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        certus_text saved;
        failures = 0;
        EXPECT(CERTUS_OK, certus_noise_fill(noise, childs, 50));
        CHECK(write(pipes[1], childs, sizeof childs) == (ssize_t)sizeof childs);
        EXPECT(CERTUS_FORKED, certus_filter_pay(filter, CERTUS_ADD_REMOVE, "pure(epsilon=0)"));
        EXPECT(CERTUS_FORKED, certus_filter_save(filter, &saved));
        CHECK(saved.id == 0);
        _exit(failures == 0 ? 0 : 1);
    }
    EXPECT(CERTUS_OK, certus_noise_fill(noise, parents, 50));
    CHECK(read(pipes[0], childs, sizeof childs) == (ssize_t)sizeof childs);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(memcmp(parents, childs, sizeof childs) != 0);
    EXPECT(CERTUS_OK, certus_filter_pay(filter, CERTUS_ADD_REMOVE, "pure(epsilon=1)"));
    close(pipes[0]);
    close(pipes[1]);
    EXPECT(CERTUS_OK, certus_filter_free(filter));
    EXPECT(CERTUS_OK, certus_noise_free(noise));
}

int main(void) {
    CHECK(strcmp(certus_version(), "0.1.0") == 0);
    for (int32_t sampler = CERTUS_DEFAULT; sampler <= CERTUS_REFERENCE; sampler++) noise_is_drawn_and_added(sampler);
    mechanisms_release();
    plans_are_accounted_for();
    scales_are_calibrated();
    budgets_are_kept();
    a_fork_copies_nothing_that_counts();
    return finish("use");
}
