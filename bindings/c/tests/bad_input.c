/* Every bad input: one clear error, nothing leaked, nothing spent, nothing written. */
#include <stdlib.h>

#include "expect.h"

#define N 64

static certus_noise noise;
static certus_mechanism mechanism;
static certus_plan plan;
static certus_answer answer;
static certus_calibration calibration;
static certus_filter filter;
static certus_text text;
static char long_text[CERTUS_MOST_TEXT + 2];

static void make(void) {
    const char *specs[] = {"laplace(scale=1)"};
    EXPECT(CERTUS_OK, certus_laplace_new("1000000", CERTUS_DEFAULT, &noise));
    EXPECT(CERTUS_OK, certus_mechanism_new("laplace(scale=2)", CERTUS_DEFAULT, &mechanism));
    EXPECT(CERTUS_OK, certus_plan_new(specs, 1, CERTUS_AS_STATED, &plan));
    EXPECT(CERTUS_OK, certus_plan_delta(plan, "1/2", 3, &answer));
    EXPECT(CERTUS_OK, certus_calibrate(CERTUS_LAPLACE, "1", NULL, 0, 0, 0, "1", &calibration));
    EXPECT(CERTUS_OK, certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=1)", &filter));
    EXPECT(CERTUS_OK, certus_mechanism_release(mechanism, "3", 1, &text));
}

/* Every function that takes a handle, with ones that are none of its kind. */
static void handles(uint64_t id) {
    certus_noise n = {id};
    certus_mechanism m = {id};
    certus_plan p = {id};
    certus_answer a = {id};
    certus_calibration c = {id};
    certus_filter f = {id};
    certus_text t = {id}, out = {99};
    int64_t values[2] = {5, 6};
    int32_t flag = 9, other = 9;
    double lower = 9, upper = 9;
    char buffer[10] = "before";
    size_t needed = 9, live = certus_live_handles();
#define BAD(of, call)                        \
    do {                                     \
        if (id != (of).id) {                 \
            EXPECT(CERTUS_BAD_HANDLE, call); \
            CHECK(says("must be a handle")); \
        }                                    \
    } while (0)
    BAD(noise, certus_noise_fill(n, values, 2));
    BAD(noise, certus_noise_add(n, values, 2));
    BAD(noise, certus_testing_noise_fill(n, "1", values, 2));
    BAD(noise, certus_testing_noise_add(n, "1", values, 2));
    BAD(noise, certus_noise_sampler(n, &flag));
    BAD(noise, certus_noise_free(n));
    BAD(mechanism, certus_mechanism_spec(m, buffer, sizeof buffer, &needed));
    BAD(mechanism, certus_mechanism_release(m, "3", 1, &out));
    BAD(mechanism, certus_testing_mechanism_release(m, "1", "3", 1, &out));
    BAD(mechanism, certus_filter_release(filter, m, "3", 1, &out));
    BAD(mechanism, certus_mechanism_free(m));
    BAD(plan, certus_plan_delta(p, "1", 0, &a));
    a.id = id;
    BAD(plan, certus_plan_epsilon(p, "1/2", 0, &a));
    a.id = id;
    BAD(plan, certus_plan_free(p));
    BAD(answer, certus_answer_bounds(a, &lower, &upper));
    BAD(answer, certus_answer_text(a, CERTUS_LOWER, buffer, sizeof buffer, &needed));
    BAD(answer, certus_answer_is(a, &flag, &other));
    BAD(answer, certus_answer_free(a));
    BAD(calibration, certus_calibration_text(c, CERTUS_SCALE, buffer, sizeof buffer, &needed));
    BAD(calibration, certus_calibration_free(c));
    BAD(filter, certus_filter_pay(f, CERTUS_ADD_REMOVE, "pure(epsilon=0)"));
    BAD(filter, certus_filter_pay_spec(f, "laplace(scale=1)"));
    BAD(filter, certus_filter_release(f, mechanism, "3", 1, &out));
    BAD(filter, certus_filter_spent(f, buffer, sizeof buffer, &needed));
    BAD(filter, certus_filter_remaining(f, buffer, sizeof buffer, &needed));
    BAD(filter, certus_filter_save(f, &out));
    BAD(filter, certus_filter_free(f));
    BAD(text, certus_text_read(t, buffer, sizeof buffer, &needed));
    BAD(text, certus_text_free(t));
#undef BAD
    CHECK(values[0] == 5 && values[1] == 6 && out.id == 0);
    CHECK(flag == 9 && other == 9 && lower == 9 && upper == 9);
    CHECK(strcmp(buffer, "before") == 0 && needed == 9 && certus_live_handles() == live);
}

/* A null pointer for each pointer, and a misaligned one where that can be. */
static void pointers(void) {
    const char *specs[] = {"laplace(scale=1)", NULL};
    _Alignas(8) char bytes[64];
    memset(bytes, 7, sizeof bytes);
    int64_t value = 5, *odd_value = (int64_t *)(void *)(bytes + 1);
    certus_noise n;
    certus_mechanism m;
    certus_plan p;
    certus_answer a;
    certus_calibration c;
    certus_filter f;
    certus_text t;
    int32_t flag;
    double bound;
    char buffer[10];
    EXPECT(CERTUS_NULL, certus_laplace_new(NULL, CERTUS_DEFAULT, &n));
    CHECK(n.id == 0 && says("scale: must not be NULL"));
    EXPECT(CERTUS_NULL, certus_laplace_new("1", CERTUS_DEFAULT, NULL));
    EXPECT(CERTUS_NULL, certus_gaussian_new(NULL, CERTUS_DEFAULT, &n));
    EXPECT(CERTUS_NULL, certus_gaussian_new("1", CERTUS_DEFAULT, NULL));
    EXPECT(CERTUS_NULL, certus_gaussian_new_squared(NULL, CERTUS_DEFAULT, &n));
    EXPECT(CERTUS_NULL, certus_gaussian_new_squared("1", CERTUS_DEFAULT, NULL));
    EXPECT(CERTUS_NULL, certus_noise_sampler(noise, NULL));
    EXPECT(CERTUS_NULL, certus_noise_fill(noise, NULL, 1));
    EXPECT(CERTUS_NULL, certus_noise_add(noise, NULL, 1));
    EXPECT(CERTUS_NULL, certus_testing_noise_fill(noise, "1", NULL, 1));
    EXPECT(CERTUS_NULL, certus_testing_noise_fill(noise, NULL, &value, 1));
    EXPECT(CERTUS_NULL, certus_testing_noise_add(noise, "1", NULL, 1));
    EXPECT(CERTUS_NULL, certus_testing_noise_add(noise, NULL, &value, 1));
    EXPECT(CERTUS_NULL, certus_mechanism_new(NULL, CERTUS_DEFAULT, &m));
    EXPECT(CERTUS_NULL, certus_mechanism_new("laplace(scale=1)", CERTUS_DEFAULT, NULL));
    EXPECT(CERTUS_NULL, certus_mechanism_spec(mechanism, NULL, 1, NULL));
    EXPECT(CERTUS_NULL, certus_mechanism_release(mechanism, NULL, 1, &t));
    EXPECT(CERTUS_NULL, certus_mechanism_release(mechanism, "1", 1, NULL));
    EXPECT(CERTUS_NULL, certus_testing_mechanism_release(mechanism, NULL, "1", 1, &t));
    EXPECT(CERTUS_NULL, certus_testing_mechanism_release(mechanism, "1", NULL, 1, &t));
    EXPECT(CERTUS_NULL, certus_testing_mechanism_release(mechanism, "1", "1", 1, NULL));
    EXPECT(CERTUS_NULL, certus_plan_new(NULL, 1, CERTUS_AS_STATED, &p));
    EXPECT(CERTUS_NULL, certus_plan_new(specs, 2, CERTUS_AS_STATED, &p));
    EXPECT(CERTUS_NULL, certus_plan_new(specs, 1, CERTUS_AS_STATED, NULL));
    EXPECT(CERTUS_NULL, certus_plan_delta(plan, NULL, 0, &a));
    EXPECT(CERTUS_NULL, certus_plan_delta(plan, "1", 0, NULL));
    EXPECT(CERTUS_NULL, certus_plan_epsilon(plan, NULL, 0, &a));
    EXPECT(CERTUS_NULL, certus_plan_epsilon(plan, "1/2", 0, NULL));
    EXPECT(CERTUS_NULL, certus_answer_bounds(answer, NULL, &bound));
    EXPECT(CERTUS_NULL, certus_answer_bounds(answer, &bound, NULL));
    EXPECT(CERTUS_NULL, certus_answer_is(answer, NULL, &flag));
    EXPECT(CERTUS_NULL, certus_answer_is(answer, &flag, NULL));
    EXPECT(CERTUS_NULL, certus_answer_text(answer, CERTUS_LOWER, NULL, 1, NULL));
    EXPECT(CERTUS_NULL, certus_calibrate(CERTUS_LAPLACE, NULL, NULL, 0, 0, 0, NULL, &c));
    EXPECT(CERTUS_NULL, certus_calibrate(CERTUS_LAPLACE, "1", NULL, 0, 0, 0, NULL, NULL));
    EXPECT(CERTUS_NULL, certus_calibration_text(calibration, CERTUS_SCALE, NULL, 1, NULL));
    EXPECT(CERTUS_NULL, certus_filter_new(CERTUS_ADD_REMOVE, NULL, &f));
    EXPECT(CERTUS_NULL, certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=1)", NULL));
    EXPECT(CERTUS_NULL, certus_filter_pay(filter, CERTUS_ADD_REMOVE, NULL));
    EXPECT(CERTUS_NULL, certus_filter_pay_spec(filter, NULL));
    EXPECT(CERTUS_NULL, certus_filter_release(filter, mechanism, NULL, 1, &t));
    EXPECT(CERTUS_NULL, certus_filter_release(filter, mechanism, "1", 1, NULL));
    EXPECT(CERTUS_NULL, certus_filter_spent(filter, NULL, 1, NULL));
    EXPECT(CERTUS_NULL, certus_filter_remaining(filter, NULL, 1, NULL));
    EXPECT(CERTUS_NULL, certus_filter_save(filter, NULL));
    EXPECT(CERTUS_NULL, certus_filter_restore(NULL, &f));
    EXPECT(CERTUS_NULL, certus_text_read(text, NULL, 1, NULL));
    EXPECT(CERTUS_NULL, certus_last_error(NULL, 1, NULL));
    EXPECT(CERTUS_MISALIGNED, certus_noise_fill(noise, odd_value, 1));
    CHECK(says("out: must be aligned"));
    EXPECT(CERTUS_MISALIGNED, certus_noise_add(noise, odd_value, 1));
    EXPECT(CERTUS_MISALIGNED, certus_testing_noise_add(noise, "1", odd_value, 1));
    EXPECT(CERTUS_MISALIGNED, certus_laplace_new("1", CERTUS_DEFAULT, (certus_noise *)(void *)(bytes + 1)));
    EXPECT(CERTUS_MISALIGNED, certus_text_read(text, buffer, 10, (size_t *)(void *)(bytes + 4)));
    EXPECT(CERTUS_MISALIGNED, certus_answer_bounds(answer, (double *)(void *)(bytes + 2), &bound));
    EXPECT(CERTUS_MISALIGNED, certus_plan_new((const char *const *)(void *)(bytes + 1), 1, CERTUS_AS_STATED, &p));
    EXPECT(CERTUS_MISALIGNED, certus_filter_release(filter, mechanism, "1", 1, (certus_text *)(void *)(bytes + 1)));
    for (size_t i = 0; i < sizeof bytes; i++) CHECK(bytes[i] == 7);
    CHECK(value == 5);
    /* Arrays of nothing may be NULL. */
    EXPECT(CERTUS_OK, certus_noise_fill(noise, NULL, 0));
    EXPECT(CERTUS_OK, certus_noise_add(noise, NULL, 0));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_plan_new(NULL, 0, CERTUS_AS_STATED, &p));
}

static void lengths_and_buffers(void) {
    int64_t value = 5;
    certus_noise n;
    certus_filter f;
    certus_plan p;
    certus_text t;
    char buffer[CERTUS_ERROR_BYTES], read[200];
    size_t needed = 0, full = 0;
    const char *specs[] = {"laplace(scale=1)"};
    const size_t lengths[] = {SIZE_MAX, SIZE_MAX / 8, (size_t)PTRDIFF_MAX / 8 + 1};
    for (size_t i = 0; i < 3; i++) {
        EXPECT(CERTUS_TOO_LONG, certus_noise_fill(noise, &value, lengths[i]));
        EXPECT(CERTUS_TOO_LONG, certus_noise_add(noise, &value, lengths[i]));
    }
    EXPECT(CERTUS_TOO_LONG, certus_mechanism_release(mechanism, "3", SIZE_MAX, &t));
    EXPECT(CERTUS_TOO_LONG, certus_filter_release(filter, mechanism, "3", SIZE_MAX, &t));
    EXPECT(CERTUS_TOO_LONG, certus_plan_new(specs, SIZE_MAX, CERTUS_AS_STATED, &p));
    EXPECT(CERTUS_TOO_LONG, certus_text_read(text, buffer, SIZE_MAX, NULL));
    CHECK(value == 5);
    memset(long_text, '1', sizeof long_text - 1);
    EXPECT(CERTUS_TOO_LONG, certus_laplace_new(long_text, CERTUS_DEFAULT, &n));
    EXPECT(CERTUS_TOO_LONG, certus_filter_restore(long_text, &f));
    /* One byte less is read, and refused for what it says. */
    long_text[CERTUS_MOST_TEXT] = 0;
    EXPECT(CERTUS_BAD_ARGUMENT, certus_laplace_new(long_text, CERTUS_DEFAULT, &n));
    EXPECT(CERTUS_BAD_UTF8, certus_laplace_new("1\xff", CERTUS_DEFAULT, &n));
    EXPECT(CERTUS_BAD_UTF8, certus_mechanism_release(mechanism, "\xc3(", 2, &t));
    EXPECT(CERTUS_BAD_UTF8, certus_filter_release(filter, mechanism, "\xc3(", 2, &t));
    CHECK(says("input: must be UTF-8") && t.id == 0);
    /* A release is drawn once, however short the buffers are that it is read into. */
    EXPECT(CERTUS_SHORT_BUFFER, certus_text_read(text, NULL, 0, &full));
    EXPECT(CERTUS_OK, certus_text_read(text, read, sizeof read, &needed));
    CHECK(full == needed && needed == strlen(read) + 1);
    for (size_t capacity = 1; capacity < full; capacity++) {
        memset(buffer, 'x', sizeof buffer);
        EXPECT(CERTUS_SHORT_BUFFER, certus_text_read(text, buffer, capacity, &needed));
        CHECK(needed == full && buffer[0] == 0 && buffer[1] == 'x');
    }
    memset(buffer, 'x', sizeof buffer);
    EXPECT(CERTUS_OK, certus_text_read(text, buffer, full, NULL));
    CHECK(strcmp(buffer, read) == 0 && buffer[full] == 'x');
    EXPECT(CERTUS_SHORT_BUFFER, certus_filter_spent(filter, buffer, 3, &needed));
    CHECK(needed == sizeof "pure(epsilon=0)");
    EXPECT(CERTUS_SHORT_BUFFER, certus_mechanism_spec(mechanism, buffer, 3, &needed));
    EXPECT(CERTUS_SHORT_BUFFER, certus_answer_text(answer, CERTUS_UPPER, buffer, 1, &needed));
    EXPECT(CERTUS_SHORT_BUFFER, certus_calibration_text(calibration, CERTUS_SPEC, buffer, 1, &needed));
    /* The error that is asked about stays, and fits. */
    EXPECT(CERTUS_SHORT_BUFFER, certus_last_error(buffer, 3, &needed));
    CHECK(needed <= CERTUS_ERROR_BYTES && says("buffer: must have"));
}

static void parameters(void) {
    const char *mixed[] = {"laplace(scale=1)", "nothing(of=1)"};
    const char *numbers[] = {"", "0", "-1", "x", "1/0", "1e99999", "nan", "inf", "0x1", "1 1"};
    certus_noise n;
    certus_mechanism m;
    certus_plan p;
    certus_answer a;
    certus_calibration c;
    certus_filter f;
    certus_text t;
    char buffer[10];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        EXPECT(CERTUS_BAD_ARGUMENT, certus_laplace_new(numbers[i], CERTUS_DEFAULT, &n));
        CHECK(n.id == 0 && says("scale: must"));
        EXPECT(CERTUS_BAD_ARGUMENT, certus_gaussian_new_squared(numbers[i], CERTUS_DEFAULT, &n));
        EXPECT(CERTUS_BAD_ARGUMENT, certus_calibrate(CERTUS_LAPLACE, numbers[i], NULL, 0, 0, 0, NULL, &c));
    }
    EXPECT(CERTUS_BAD_ARGUMENT, certus_laplace_new("1", 4, &n));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_laplace_new("1", -1, &n));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_laplace_new("1e30", CERTUS_FIXED, &n));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_testing_noise_fill(noise, "xyz", NULL, 0));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_mechanism_new("laplace(scale=1)*2", CERTUS_DEFAULT, &m));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_mechanism_new("laplace(", CERTUS_DEFAULT, &m));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_mechanism_new("histogram(keys=3, scale=2)", 99, &m));
    EXPECT(CERTUS_BAD_INPUT, certus_mechanism_release(mechanism, "secret", 6, &t));
    CHECK(t.id == 0 && !says("secret"));
    EXPECT(CERTUS_BAD_INPUT, certus_mechanism_release(mechanism, "1\0", 2, &t));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_plan_new(mixed, 2, CERTUS_AS_STATED, &p));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_plan_new(mixed, 1, 3, &p));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_plan_delta(plan, "-1", 0, &a));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_plan_delta(plan, "1", 1001, &a));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_plan_epsilon(plan, "1", 0, &a));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_answer_text(answer, 0, buffer, sizeof buffer, NULL));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_calibration_text(calibration, 7, buffer, sizeof buffer, NULL));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_calibrate(3, "1", NULL, 0, 0, 0, NULL, &c));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_calibrate(CERTUS_GAUSSIAN, "1", NULL, 0, 0, 0, NULL, &c));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_calibrate(CERTUS_GAUSSIAN, "1", "1e-5", 0, 2, 0, NULL, &c));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_calibrate(CERTUS_LAPLACE, "1", NULL, 0, 0, 2, NULL, &c));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_calibrate(CERTUS_LAPLACE, "1", "1", 0, 0, 0, NULL, &c));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_new(CERTUS_AS_STATED, "pure(epsilon=1)", &f));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=-1)", &f));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=1)*2", &f));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=1, delta=0)", &f));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_new(CERTUS_ADD_REMOVE, "approximate(epsilon=1)", &f));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_new(CERTUS_ADD_REMOVE, "renyi(alpha=1, epsilon=1)", &f));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_restore("{}", &f));
    EXPECT(CERTUS_BAD_ARGUMENT,
           certus_filter_restore("{\"kind\":\"pure\",\"relation\":\"add_remove\",\"budget\":{\"main\":\"1\",\"delta\":"
                                 "\"0\"},\"spent\":{\"main\":\"2\",\"delta\":\"0\"}}",
                                 &f));
    CHECK(f.id == 0 && says("more was spent"));
    EXPECT(CERTUS_INTERNAL, certus_testing_panic());
    CHECK(says("a bug of this library") && !says("asked for"));
}

/* Whatever is wrong, the budget is what it was. */
static void nothing_is_spent(void) {
    char spent[100];
    certus_text t;
    certus_mechanism truth;
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_pay(filter, CERTUS_AS_STATED, "pure(epsilon=1/2)"));
    EXPECT(CERTUS_BAD_COST, certus_filter_pay(filter, CERTUS_CHANGE_ONE, "pure(epsilon=1/2)"));
    EXPECT(CERTUS_BAD_COST, certus_filter_pay(filter, CERTUS_ADD_REMOVE, "zcdp(rho=0)"));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_pay(filter, CERTUS_ADD_REMOVE, "pure(epsilon=x)"));
    EXPECT(CERTUS_BAD_ARGUMENT, certus_filter_pay_spec(filter, "laplace"));
    EXPECT(CERTUS_BAD_COST, certus_filter_pay_spec(filter, "gaussian(sigma=10)"));
    EXPECT(CERTUS_BUDGET, certus_filter_pay_spec(filter, "laplace(scale=2)*3"));
    EXPECT(CERTUS_BUDGET, certus_filter_pay(filter, CERTUS_ADD_REMOVE, "pure(epsilon=1.0000001)"));
    EXPECT(CERTUS_BAD_INPUT, certus_filter_release(filter, mechanism, "secret", 6, &t));
    EXPECT(CERTUS_OK, certus_mechanism_new("randomized_response(gamma=0)", CERTUS_DEFAULT, &truth));
    EXPECT(CERTUS_BAD_COST, certus_filter_release(filter, truth, "1", 1, &t));
    CHECK(t.id == 0 && says("guarantee"));
    EXPECT(CERTUS_OK, certus_mechanism_free(truth));
    EXPECT(CERTUS_OK, certus_filter_spent(filter, spent, sizeof spent, NULL));
    CHECK(strcmp(spent, "pure(epsilon=0)") == 0);
}

/* All or nothing: where one sum does not fit, nothing is left that could be published by mistake. */
static void sums_that_do_not_fit(void) {
    certus_noise wide;
    int64_t values[N], drawn[1000];
    for (int i = 0; i < N; i++) values[i] = i < N / 2 ? i : INT64_MAX;
    EXPECT(CERTUS_OVERFLOW, certus_noise_add(noise, values, N));
    for (int i = 0; i < N; i++) CHECK(values[i] == 0);
    for (int i = 0; i < N; i++) values[i] = i < N / 2 ? i : INT64_MAX;
    EXPECT(CERTUS_OVERFLOW, certus_testing_noise_add(noise, "1", values, N));
    for (int i = 0; i < N; i++) CHECK(values[i] == 0);
    /* Of 1,000 samples some fit, and all of them do with a probability below 10^-20. */
    EXPECT(CERTUS_OK, certus_laplace_new("3e18", CERTUS_DEFAULT, &wide));
    for (int i = 0; i < 1000; i++) drawn[i] = 7;
    EXPECT(CERTUS_OVERFLOW, certus_noise_fill(wide, drawn, 1000));
    for (int i = 0; i < 1000; i++) CHECK(drawn[i] == 0);
    EXPECT(CERTUS_OK, certus_noise_free(wide));
}

int main(void) {
    make();
    /* Null, never made, and each kind for every other. */
    const uint64_t made[] = {noise.id, mechanism.id, plan.id, answer.id, calibration.id, filter.id, text.id};
    handles(0);
    handles(UINT64_MAX);
    handles(made[0] + ((uint64_t)1 << 32));
    for (size_t i = 0; i < 7; i++) handles(made[i]);
    pointers();
    lengths_and_buffers();
    parameters();
    nothing_is_spent();
    sums_that_do_not_fit();
    EXPECT(CERTUS_OK, certus_noise_free(noise));
    EXPECT(CERTUS_OK, certus_plan_free(plan));
    EXPECT(CERTUS_OK, certus_answer_free(answer));
    EXPECT(CERTUS_OK, certus_calibration_free(calibration));
    EXPECT(CERTUS_OK, certus_text_free(text));
    EXPECT(CERTUS_OK, certus_filter_free(filter));
    EXPECT(CERTUS_OK, certus_mechanism_free(mechanism));
    /* Freed ones, also when others were made in their places. */
    for (int round = 0; round < 2; round++) {
        noise.id = mechanism.id = plan.id = answer.id = calibration.id = filter.id = text.id = 0;
        for (size_t i = 0; i < 7; i++) handles(made[i]);
        make();
        const uint64_t again[] = {noise.id, mechanism.id, plan.id, answer.id, calibration.id, filter.id, text.id};
        for (size_t i = 0; i < 7; i++) {
            for (size_t j = 0; j < 7; j++) CHECK(made[i] != again[j]);
            handles(made[i]);
        }
        EXPECT(CERTUS_OK, certus_noise_free(noise));
        EXPECT(CERTUS_OK, certus_plan_free(plan));
        EXPECT(CERTUS_OK, certus_answer_free(answer));
        EXPECT(CERTUS_OK, certus_calibration_free(calibration));
        EXPECT(CERTUS_OK, certus_text_free(text));
        EXPECT(CERTUS_OK, certus_filter_free(filter));
        EXPECT(CERTUS_OK, certus_mechanism_free(mechanism));
    }
    return finish("bad_input");
}
