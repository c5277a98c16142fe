import { zlibSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import loader from "../src/loader";
import { forget, load } from "../src/store";
import { FakeModel } from "./support";

// A bundle that shows which kernel it was opened for, in place of the real one.
const SOURCE = `
export function open({ model, client, signal, early }) {
  return {
    render(el) {
      el.textContent = "bundle of " + model.get("name") + ", early: " + early.length;
      return () => { el.textContent = ""; };
    },
  };
}`;

let count = 0;
let hash: string;
let controller: AbortController;

beforeEach(() => {
  hash = `test-${Date.now()}-${count++}`;
  controller = new AbortController();
});

afterEach(async () => {
  controller.abort();
  vi.useRealTimers();
  document.body.replaceChildren();
  await forget(`bundle:${hash}`);
});

function cell(name = "a") {
  const model = new FakeModel({ _bundle_hash: hash, height: 90, name });
  const el = document.createElement("div");
  document.body.append(el);
  const widget = loader();
  widget.initialize({ model, signal: controller.signal });
  const rendered = widget.render({ model, el, signal: controller.signal });
  return { model, el, rendered };
}

const asked = (model: FakeModel) => model.sent.filter(({ type }) => type === "bundle");

/** Answers with the bundle in chunks, in the order given. */
function deliver(model: FakeModel, order = [0, 1, 2], source = SOURCE) {
  const zipped = zlibSync(new TextEncoder().encode(source));
  const size = Math.ceil(zipped.length / 3);
  for (const i of order) {
    const chunk = zipped.slice(i * size, (i + 1) * size).buffer;
    model.receive({ type: "bundle", hash, offset: i * size, total: zipped.length }, [
      chunk,
    ]);
  }
}

describe("the loader", () => {
  it("asks the kernel for the bundle by hash, puts the chunks together, and renders", async () => {
    const { model, el, rendered } = cell();
    await vi.waitFor(() => expect(asked(model)).toHaveLength(1));
    expect(asked(model)[0]).toMatchObject({ hash, client: expect.any(String) });
    deliver(model);
    const cleanup = await rendered;
    expect(el.textContent).toBe("bundle of a, early: 0");
    cleanup?.();
    expect(el.textContent).toBe("");
  });

  it("takes chunks in any order and more than once", async () => {
    const { model, el, rendered } = cell();
    await vi.waitFor(() => expect(asked(model)).toHaveLength(1));
    deliver(model, [2, 0, 0, 2, 1]);
    await rendered;
    expect(el.textContent).toMatch(/^bundle/);
  });

  it("asks once for all widgets of the page", async () => {
    const first = cell("a");
    const second = cell("b");
    await vi.waitFor(() => expect(asked(first.model)).toHaveLength(1));
    await new Promise((done) => setTimeout(done, 200));
    expect(asked(second.model)).toEqual([]);
    deliver(first.model);
    await Promise.all([first.rendered, second.rendered]);
    expect(second.el.textContent).toBe("bundle of b, early: 0");
  });

  it("has another widget ask when the kernel of the first is silent", async () => {
    const first = cell("a");
    await vi.waitFor(() => expect(asked(first.model)).toHaveLength(1));
    const second = cell("b");
    await vi.waitFor(
      () =>
        expect(asked(first.model).length + asked(second.model).length).toBeGreaterThan(
          1,
        ),
      5000,
    );
    deliver(second.model);
    await first.rendered;
    expect(first.el.textContent).toBe("bundle of a, early: 0");
  });

  it("keeps the bundle, so that the next page need not ask", async () => {
    const first = cell();
    await vi.waitFor(() => expect(asked(first.model)).toHaveLength(1));
    deliver(first.model);
    await first.rendered;
    await vi.waitFor(async () => expect(await load(`bundle:${hash}`)).toBeDefined());
    forgetPage();
    const second = cell();
    await second.rendered;
    expect(asked(second.model)).toEqual([]);
    expect(second.el.textContent).toMatch(/^bundle/);
  });

  it("holds the cell's height and says that it waits, and recovers", async () => {
    const { model, el, rendered } = cell();
    expect(el.firstElementChild?.getBoundingClientRect().height).toBeGreaterThanOrEqual(
      90,
    );
    await vi.waitFor(
      () => expect(el.textContent).toMatch(/Waiting for the kernel/),
      8000,
    );
    deliver(model);
    await rendered;
    expect(el.textContent).toMatch(/^bundle/);
  });

  it("shows what the kernel says, and hands it on", async () => {
    const { model, el, rendered } = cell();
    model.receive({ type: "status", level: "error", text: "the model has no mesh" });
    expect(el.textContent).toBe("the model has no mesh");
    await vi.waitFor(() => expect(asked(model)).toHaveLength(1));
    deliver(model);
    await rendered;
    expect(el.textContent).toBe("bundle of a, early: 1");
  });

  it("says when the bundle can't be run, and asks anew for the next widget", async () => {
    const first = cell();
    await vi.waitFor(() => expect(asked(first.model)).toHaveLength(1));
    deliver(first.model, [0, 1, 2], "this is no JavaScript");
    await first.rendered;
    expect(first.el.textContent).toMatch(/could not be loaded/);
    const second = cell();
    await vi.waitFor(() => expect(asked(second.model)).toHaveLength(1));
    deliver(second.model);
    await second.rendered;
    expect(second.el.textContent).toMatch(/^bundle/);
  });

  it("leaves no handler behind", async () => {
    const { model, rendered } = cell();
    await vi.waitFor(() => expect(asked(model)).toHaveLength(1));
    deliver(model);
    await rendered;
    expect(model.listeners).toBe(0);
  });
});

/** As a page that was loaded again: only the browser's store is left. */
function forgetPage(): void {
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("studio_nb")];
}
