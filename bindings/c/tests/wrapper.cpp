// The library from C++: handles that free themselves, and errors that are exceptions.
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "expect.h"

namespace {

struct Error : std::runtime_error {
    certus_status status;
    explicit Error(certus_status found) : std::runtime_error(last()), status(found) {}
    static std::string last() {
        std::vector<char> text(CERTUS_ERROR_BYTES);
        certus_last_error(text.data(), text.size(), nullptr);
        return text.data();
    }
};

void check(certus_status status) {
    if (status != CERTUS_OK) throw Error(status);
}

// A handle that is freed once.
template <typename H, certus_status (*Free)(H)>
class Owned {
    H handle{0};

   public:
    Owned() = default;
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    Owned(Owned &&other) noexcept : handle(std::exchange(other.handle, H{0})) {}
    Owned &operator=(Owned &&other) noexcept {
        std::swap(handle, other.handle);
        return *this;
    }
    ~Owned() {
        if (handle.id != 0) Free(handle);
    }
    H get() const { return handle; }
    H *place() { return &handle; }
    H release() { return std::exchange(handle, H{0}); }
};

using Noise = Owned<certus_noise, certus_noise_free>;
using Mechanism = Owned<certus_mechanism, certus_mechanism_free>;
using Plan = Owned<certus_plan, certus_plan_free>;
using Answer = Owned<certus_answer, certus_answer_free>;
using Filter = Owned<certus_filter, certus_filter_free>;
using Text = Owned<certus_text, certus_text_free>;

std::string read(const Text &text) {
    std::size_t needed = 0;
    certus_status status = certus_text_read(text.get(), nullptr, 0, &needed);
    if (status != CERTUS_SHORT_BUFFER) throw Error(status);
    std::string found(needed, '\0');
    check(certus_text_read(text.get(), &found[0], found.size(), nullptr));
    found.pop_back();
    return found;
}

Noise laplace(const std::string &scale) {
    Noise noise;
    check(certus_laplace_new(scale.c_str(), CERTUS_DEFAULT, noise.place()));
    return noise;
}

template <typename Body>
certus_status thrown(Body body) {
    try {
        body();
    } catch (const Error &error) {
        CHECK(std::string(error.what()).size() > 0);
        return error.status;
    }
    return CERTUS_OK;
}

void run() {
    Noise noise = laplace("5/2");
    std::vector<std::int64_t> values(1000, 1000);
    check(certus_noise_add(noise.get(), values.data(), values.size()));
    CHECK(values != std::vector<std::int64_t>(1000, 1000));
    check(certus_noise_add(noise.get(), nullptr, 0));
    values.assign(1000, std::numeric_limits<std::int64_t>::max());
    CHECK(thrown([&] { check(certus_noise_add(noise.get(), values.data(), values.size())); }) == CERTUS_OVERFLOW);
    CHECK(values == std::vector<std::int64_t>(1000, 0));
    CHECK(thrown([] { laplace("minus one"); }) == CERTUS_BAD_ARGUMENT);

    Noise moved = std::move(noise);
    CHECK(noise.get().id == 0 && certus_live_handles() == 1);

    Mechanism mechanism;
    check(certus_mechanism_new("histogram(keys=3, scale=2)", CERTUS_DEFAULT, mechanism.place()));
    Filter filter;
    check(certus_filter_new(CERTUS_ADD_REMOVE, "pure(epsilon=1)", filter.place()));
    const std::string data = "0,2,2";
    for (int i = 0; i < 2; i++) {
        Text output;
        check(certus_filter_release(filter.get(), mechanism.get(), data.data(), data.size(), output.place()));
        CHECK(read(output).find(',') != std::string::npos);
    }
    CHECK(thrown([&] {
              Text output;
              check(certus_filter_release(filter.get(), mechanism.get(), data.data(), data.size(), output.place()));
          }) == CERTUS_BUDGET);
    Text saved;
    check(certus_filter_save(filter.release(), saved.place()));
    check(certus_filter_restore(read(saved).c_str(), filter.place()));
    CHECK(thrown([&] { check(certus_filter_pay_spec(filter.get(), "laplace(scale=100)")); }) == CERTUS_BUDGET);

    const char *specs[] = {"gaussian(sigma=10)*100"};
    Plan plan;
    check(certus_plan_new(specs, 1, CERTUS_CHANGE_ONE, plan.place()));
    Answer answer;
    check(certus_plan_delta(plan.get(), "1", 0, answer.place()));
    double lower = 0, upper = 0;
    check(certus_answer_bounds(answer.get(), &lower, &upper));
    CHECK(0.1269 < lower && lower <= upper && upper < 0.127);
}

}  // namespace

int main() {
    CHECK(thrown(run) == CERTUS_OK);
    return finish("wrapper");
}
