// A budget, releases from it, and what they cost, from Go.
package main

// #cgo pkg-config: certus
// #include <stdlib.h>
// #include "certus.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// must ends the program with the last error. It is this thread's, so that a goroutine that asks for it stays on
// its thread (runtime.LockOSThread in main).
func must(status C.certus_status) {
	if status != C.CERTUS_OK {
		var text [C.CERTUS_ERROR_BYTES]C.char
		C.certus_last_error(&text[0], C.CERTUS_ERROR_BYTES, nil)
		fmt.Fprintf(os.Stderr, "%s: %s\n", C.GoString(C.certus_status_text(status)), C.GoString(&text[0]))
		os.Exit(1)
	}
}

// with hands a Go text over as a C one.
func with(text string, use func(*C.char) C.certus_status) C.certus_status {
	copied := C.CString(text)
	defer C.free(unsafe.Pointer(copied))
	return use(copied)
}

// read reads a text handle and frees it.
func read(text C.certus_text) string {
	var needed C.size_t
	if status := C.certus_text_read(text, nil, 0, &needed); status != C.CERTUS_SHORT_BUFFER {
		must(status)
	}
	buffer := make([]C.char, needed)
	must(C.certus_text_read(text, &buffer[0], needed, nil))
	must(C.certus_text_free(text))
	return C.GoString(&buffer[0])
}

func main() {
	runtime.LockOSThread()

	var filter C.certus_filter
	must(with("pure(epsilon=1)", func(budget *C.char) C.certus_status {
		return C.certus_filter_new(C.CERTUS_ADD_REMOVE, budget, &filter)
	}))
	var histogram C.certus_mechanism
	must(with("histogram(keys=3, scale=2)", func(spec *C.char) C.certus_status {
		return C.certus_mechanism_new(spec, C.CERTUS_DEFAULT, &histogram)
	}))
	data := "0,2,2,1,2"
	releases := 0
	for {
		var output C.certus_text
		status := with(data, func(input *C.char) C.certus_status {
			return C.certus_filter_release(filter, histogram, input, C.size_t(len(data)), &output)
		})
		if status == C.CERTUS_BUDGET {
			break
		}
		must(status)
		fmt.Println("histogram:", read(output))
		releases++
	}
	if releases != 2 {
		fmt.Fprintln(os.Stderr, "two releases of epsilon 1/2 are in the budget, not", releases)
		os.Exit(1)
	}

	var noise C.certus_noise
	must(with("10", func(sigma *C.char) C.certus_status {
		return C.certus_gaussian_new(sigma, C.CERTUS_FIXED, &noise)
	}))
	values := []int64{100, 200, 300}
	must(C.certus_noise_add(noise, (*C.int64_t)(&values[0]), C.size_t(len(values))))
	fmt.Println("noised:", values)

	var plan C.certus_plan
	must(with("gaussian(sigma=10)*100", func(spec *C.char) C.certus_status {
		specs := (**C.char)(C.malloc(C.size_t(unsafe.Sizeof(spec))))
		defer C.free(unsafe.Pointer(specs))
		*specs = spec
		return C.certus_plan_new(specs, 1, C.CERTUS_AS_STATED, &plan)
	}))
	var answer C.certus_answer
	must(with("1", func(epsilon *C.char) C.certus_status { return C.certus_plan_delta(plan, epsilon, 0, &answer) }))
	var lower, upper C.double
	must(C.certus_answer_bounds(answer, &lower, &upper))
	fmt.Printf("delta at epsilon 1: [%.12f, %.12f]\n", float64(lower), float64(upper))

	must(C.certus_answer_free(answer))
	must(C.certus_plan_free(plan))
	must(C.certus_noise_free(noise))
	must(C.certus_mechanism_free(histogram))
	must(C.certus_filter_free(filter))
	if live := C.certus_live_handles(); live != 0 {
		fmt.Fprintln(os.Stderr, "handles were leaked:", live)
		os.Exit(1)
	}
}
