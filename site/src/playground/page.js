// The playground: each form asks a worker, which holds the module, and shows what it answers.
"use strict";
(() => {
  // Runs in the worker, after the glue of wasm-bindgen. The first message is the module, each later one a question.
  const WORKER = `
    let isReady = false;
    onmessage = ({ data }) => {
      if (!isReady) { wasm_bindgen.initSync({ module: data }); isReady = true; return; }
      const [name, values] = data;
      let reply;
      try { reply = { answer: wasm_bindgen[name](...values) }; }
      // A refusal is a text; anything else is a fault of the module, which cannot go on.
      catch (error) { reply = typeof error === "string" ? { refusal: error } : { fault: String(error) }; }
      postMessage(reply);
    };`;

  // The bytes of the module, unpacked once.
  let unpacked = null;
  const module = () => unpacked ??= new Response(
    new Blob([Uint8Array.from(atob(CERTUS_MODULE), (letter) => letter.charCodeAt(0))]).stream()
      .pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();

  // A worker with the module, made when it is first needed and again after it was ended.
  class Engine {
    #worker = null;
    #end = null;
    async ask(name, values) {
      const ended = new Promise((resolve) => { this.#end = resolve; });
      if (!this.#worker) {
        const bytes = await module();
        const url = URL.createObjectURL(new Blob([CERTUS_GLUE, WORKER], { type: "text/javascript" }));
        this.#worker = new Worker(url);
        URL.revokeObjectURL(url);
        this.#worker.postMessage(bytes);
      }
      this.#worker.onmessage = ({ data }) => { if (data.fault) this.stop(); this.#end(data); };
      this.#worker.onerror = (event) => { event.preventDefault(); this.stop(); this.#end({ fault: event.message }); };
      this.#worker.postMessage([name, values]);
      return ended;
    }
    stop() {
      this.#worker?.terminate();
      this.#worker = null;
    }
    cancel() {
      this.stop();
      this.#end?.({ isCancelled: true });
    }
  }

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  const number = (field, text) => element("span", { class: "number", "data-field": field }, text);
  // An enclosure, or a number that is given: both ends with the document's digits.
  const enclosure = (field, value) => {
    if (typeof value === "string") return number(field, value);
    if (value.lower === value.upper) return element("span", {}, "exactly ", number(`${field}.lower`, value.lower));
    return element("span", {}, "[", number(`${field}.lower`, value.lower), ", ", number(`${field}.upper`, value.upper), "]");
  };
  // A decimal with so many significant digits, rounded down, or up for an upper end: a string, since a float would round.
  const rounded = (text, digits, isUpper) => {
    const [, whole, part = "", power = "0"] = /^(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text) ?? [];
    const significant = whole === undefined ? "" : (whole + part).replace(/^0+/, "");
    if (significant.length <= digits) return text;
    const hasMore = /[1-9]/.test(significant.slice(digits));
    const kept = String(BigInt(significant.slice(0, digits)) + (isUpper && hasMore ? 1n : 0n));
    // The power of ten of the first digit.
    const first = significant.length - part.length + Number(power) - 1 + (kept.length - digits);
    const all = kept.replace(/0+$/, "");
    if (first < -7) return `${all[0]}${all.length > 1 ? "." + all.slice(1) : ""}e${first}`;
    if (first < 0) return `0.${"0".repeat(-first - 1)}${all}`;
    return all.length > first + 1 ? `${all.slice(0, first + 1)}.${all.slice(first + 1)}` : all.padEnd(first + 1, "0");
  };
  const SHOWN_DIGITS = 10;
  // An enclosure of many digits, with fewer.
  const shortened = (field, { lower, upper }) => enclosure(field,
    { lower: rounded(lower, SHOWN_DIGITS, false), upper: rounded(upper, SHOWN_DIGITS, true) });
  // Rows of a name and what is said of it.
  const described = (caption, rows) =>
    element("table", {}, element("caption", {}, caption), element("tbody", {}, ...rows.filter(Boolean).map(([name, ...said]) =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, ...said)))));
  const listed = (caption, heads, rows) =>
    element("table", { class: "listed" }, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells.map((cell, index) => element("td", { "data-head": heads[index] }, cell))))));
  const NOT_ATTAINED = "an upper bound: the pairs dominate this plan and need not be attained; it may lose less than a lower end says";

  const QUESTIONS = {
    account: {
      values: ({ specs, question, value, relation }) => [specs, question, value, relation],
      command: ({ specs, question, value, relation }) => ["account",
        ...specs.split("\n").map((line) => line.trim()).filter(Boolean),
        ...(question === "profile" ? ["--profile"] : [`--${question}`, value.trim()]),
        ...(relation ? ["--relation", relation] : [])],
      show: (document) => {
        const relation = document.relation && ["relation", number("relation", document.relation)];
        const note = document.attained || document.apart ? null : ["note", NOT_ATTAINED];
        if (document.profile) {
          return [described("What this is", [["method", number("method", document.method)], relation, note]),
            listed("The privacy profile", ["ε", "δ"], document.profile.map((point, index) =>
              [number(`profile.${index}.epsilon`, point.epsilon), enclosure(`profile.${index}.delta`, point.delta)]))];
        }
        const rates = document.attacker;
        return [described("The answer", [
          ["ε", enclosure("epsilon", document.epsilon)],
          ["δ", enclosure("delta", document.delta)],
          ["meaning", "an attacker with 1% false positives has at most ", number("attacker.at_1_percent", rates.at_1_percent),
            "% true positives; with 0.1%, at most ", number("attacker.at_0.1_percent", rates["at_0.1_percent"]), "%",
            rates.from_curve ? "" : " (from this ε and δ alone)"],
          ["method", number("method", document.method)],
          relation,
          document.apart && ["ends", number("apart", document.apart), " of the answer apart: the lower end is that of a vector that " +
            "neighbours can differ by, the upper end that of a line"],
          document.narrow || document.apart ? null : ["width", "wider than the digits asked for"],
          note,
        ])];
      },
    },
    calibrate: {
      values: ({ noise, epsilon, delta, sensitivity, step }) =>
        [noise, epsilon.trim(), delta.trim(), sensitivity.trim(), step.trim()],
      command: ({ noise, epsilon, delta, sensitivity, step }) => ["calibrate", noise, "--epsilon", epsilon.trim(),
        "--delta", delta.trim(), ...(sensitivity.trim() === "1" ? [] : ["--sensitivity", sensitivity.trim()]),
        ...(step.trim() ? ["--step", step.trim()] : [])],
      show: (document) => [described("The answer", [
        ["noise", number("spec", document.spec)],
        ["its δ", enclosure("delta", document.delta)],
        document.below && ["below", number("below.spec", document.below.spec), " has δ = ", enclosure("below.delta", document.below.delta)],
        ["smaller", document.smallest ? "every smaller multiple of " : "NOT every smaller multiple was excluded; the step is ",
          number("step", document.step), document.smallest ? " is certified to fail: this is the smallest" : ""],
        document.classical && ["textbook", enclosure("classical", document.classical),
          document.classical_holds ? "" : "; that formula is proven for ε up to 1 only",
          document.classical_holds || !document.classical_delta ? null
            : element("span", {}, ": here its δ is ", enclosure("classical_delta", document.classical_delta))],
      ])],
    },
    certify: {
      values: ({ spec, mode, depth }) => [spec, mode, depth.trim()],
      command: ({ spec, mode, depth }) => ["certify", spec.trim(), ...(mode === "flat" ? ["--mode", "flat"] : []),
        ...(depth.trim() ? ["--depth", depth.trim()] : [])],
      show: (document) => {
        const shown = document.pmf.map((row, index) => ({ ...row, index }))
          .sort((a, b) => Number(b.lower) - Number(a.lower)).slice(0, 9).sort((a, b) => a.index - b.index);
        const cell = (index, row, ends) => shortened(`pmf.${index}${ends ? ".expected" : ""}`, ends
          ? { lower: row.expected_lower, upper: row.expected_upper } : { lower: row.lower, upper: row.upper });
        const hasPaper = shown.every((row) => row.expected_lower !== null);
        return [
          element("p", { class: "verdict" }, document.holds
            ? (document.privacy ? "The certificate holds: on these two inputs the code is as private as is stated."
              : "The certificate holds: every enumerated probability agrees with the one on paper.")
            : "The certificate FAILS."),
          described("What was enumerated", [
            ["mechanism", number("spec", document.spec)],
            document.inputs && ["inputs", number("inputs.0", document.inputs[0]), " and ", number("inputs.1", document.inputs[1])],
            ["outputs", String(document.pmf.length)],
            ["unresolved", "at most ", number("unresolved", document.unresolved)],
            document.total_variation_upper && ["distance", "at most ", number("total_variation_upper", document.total_variation_upper),
              ", in total variation from the distribution on paper"],
            document.tapes_agree === null ? null : ["tapes", document.tapes_agree
              ? "of each length: as many as the structural interpreter counts" : "NOT as many as the structural interpreter counts"],
          ]),
          document.privacy && listed("Privacy on these inputs", ["ε", "δ, first to second", "δ, second to first", "at most"],
            document.privacy.map((point, index) => [number(`privacy.${index}.epsilon_upper`, point.epsilon_upper),
              shortened(`privacy.${index}.forward`, point.forward), shortened(`privacy.${index}.backward`, point.backward),
              element("span", {}, number(`privacy.${index}.delta_claimed_upper`, point.delta_claimed_upper), ` (${point.claim})`)])),
          listed(`The ${shown.length} likeliest outputs${document.inputs ? " on the first input" : ""}`,
            ["output", "probability by the code", ...(hasPaper ? ["probability on paper"] : [])],
            shown.map((row) => [number(`pmf.${row.index}.value`, row.value), cell(row.index, row, false),
              ...(hasPaper ? [cell(row.index, row, true)] : [])])),
        ];
      },
    },
  };

  // A word of a command line, in single quotes where a shell would read it otherwise.
  const quoted = (word) => (/^[\w.,:/=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

  const start = (form) => {
    const { values, command, show } = QUESTIONS[form.dataset.ask];
    const [ask, cancel] = [form.querySelector("[type=submit]"), form.querySelector("[data-cancel]")];
    const [status, place] = [form.querySelector(".status"), form.querySelector(".answer")];
    const engine = new Engine();
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const asked = Object.fromEntries(new FormData(form));
      ask.disabled = true;
      cancel.disabled = false;
      place.replaceChildren();
      delete form.dataset.done;
      const started = performance.now();
      const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
      const clock = setInterval(() => { status.textContent = `computing, ${seconds()} s`; }, 200);
      const reply = await engine.ask(form.dataset.ask, values(asked));
      clearInterval(clock);
      const hadFocus = document.activeElement === cancel || document.activeElement === document.body;
      ask.disabled = false;
      cancel.disabled = true;
      if (hadFocus) ask.focus();
      if (reply.isCancelled) {
        status.textContent = "cancelled";
      } else if (reply.answer === undefined) {
        status.textContent = "";
        place.append(element("p", { role: "alert", class: "verdict" },
          reply.refusal ?? `The module failed, and was started anew: ${reply.fault}`));
      } else {
        status.textContent = `answered in ${seconds()} s`;
        const line = ["certus", ...command(asked)].map(quoted).join(" ");
        place.append(...show(JSON.parse(reply.answer)).filter(Boolean),
          element("p", {}, "The same in a terminal:"), element("pre", {}, element("code", { "data-command": "" }, line)),
          element("details", {}, element("summary", {}, "The whole document, as JSON"),
            element("pre", {}, element("code", { "data-document": "" }, reply.answer))));
      }
      form.dataset.done = reply.isCancelled ? "cancelled" : "yes";
    });
    cancel.addEventListener("click", () => engine.cancel());
  };
  for (const form of document.querySelectorAll(".certus-playground form")) start(form);

  // A profile has no value to ask for.
  const question = document.getElementById("account-question");
  const follow = () => { document.querySelector("[data-unless=profile]").hidden = question.value === "profile"; };
  question.addEventListener("change", follow);
  follow();
  // What may be certified, to choose from: the module says it, and is not loaded before somebody asks.
  document.getElementById("certify-spec").addEventListener("focus", async () => {
    const engine = new Engine();
    const { answer } = await engine.ask("examples", []);
    engine.stop();
    document.getElementById("certify-examples").append(...(answer ?? "").split("\n").map((spec) => element("option", { value: spec })));
  }, { once: true });
})();
