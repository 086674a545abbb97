"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  const isDark = () => root.dataset.theme === "dark" || (root.dataset.theme === "auto" && dark.matches);

  // Colours are written as var(--name) or var(--name|opacity) in the figures and resolved against the theme here.
  const resolve = (value) => {
    if (Array.isArray(value)) return value.map(resolve);
    if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolve(v)]));
    const match = typeof value === "string" && /^var\((--[a-z0-9]+)(?:\|([0-9.]+))?\)$/.exec(value);
    if (!match) return value;
    const hex = getComputedStyle(root).getPropertyValue(match[1]).trim();
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    return `rgba(${r},${g},${b},${match[2] ?? 1})`;
  };
  const css = (name) => resolve(`var(${name})`);

  const logged = new Set();
  const narrow = (id) => document.getElementById(id).clientWidth < 600;
  const draw = (id) => {
    const figure = resolve(data.figures[id]);
    const layout = figure.layout;
    Object.assign(layout, {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true, dragmode: "zoom",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: css("--muted") },
      hoverlabel: { bgcolor: css("--surface"), bordercolor: css("--line"), font: { color: css("--ink"), size: 13 } },
    });
    if (logged.has(id)) layout.yaxis = { ...layout.yaxis, type: "log", rangemode: "normal", dtick: 1, minor: { showgrid: true, gridcolor: resolve("var(--line|0.45)") } };
    if (narrow(id) && layout.margin.r > 60) {
      layout.margin.r = 14;
      figure.data.forEach((trace) => { if (trace.mode === "lines+text") trace.textposition = "top left"; });
    }
    return Plotly.react(id, figure.data, layout, { displaylogo: false, displayModeBar: false, responsive: true });
  };
  const drawAll = () => Object.keys(data.figures).forEach(draw);

  const shade = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    document.querySelectorAll(".heat").forEach((cell) => {
      cell.classList.toggle("strong", parseFloat(cell.style.getPropertyValue("--p")) > (isDark() ? 0.3 : 0.66));
    });
  };
  const remembered = () => { try { return localStorage.getItem("ludus-theme"); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem("ludus-theme", theme); } catch { /* a file page may have no storage */ } };
  if (["light", "dark"].includes(remembered())) root.dataset.theme = remembered();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember(root.dataset.theme);
    shade(); drawAll();
  });
  dark.addEventListener("change", () => { shade(); drawAll(); });

  document.querySelectorAll("[data-log]").forEach((toggle) => toggle.addEventListener("click", () => {
    const id = toggle.dataset.log;
    logged.has(id) ? logged.delete(id) : logged.add(id);
    toggle.setAttribute("aria-pressed", String(logged.has(id)));
    draw(id);
  }));

  const signed = (value) => (Math.abs(value) < 0.005 ? "0" : (value > 0 ? "+" : "−") + Math.abs(value).toFixed(2));
  document.querySelectorAll("[data-strategy]").forEach((card) => {
    const strategy = data.strategies[Number(card.dataset.strategy)];
    const slider = card.querySelector("input[type=range]");
    const output = card.querySelector("output");
    const play = card.querySelector(".play");
    const show = (frame) => {
      output.textContent = strategy.rounds[frame];
      for (const [place, cell] of Object.entries(strategy.cells)) {
        const value = cell.values[frame];
        const heat = card.querySelector(`[data-cell="${place}"]`);
        heat.style.setProperty("--p", value ?? 0);
        heat.querySelector("b").textContent = value === null ? "–" : value.toFixed(2);
        const gap = card.querySelector(`[data-gap="${place}"]`);
        if (!gap) continue;
        const known = value !== null && cell.low !== null && cell.high !== null;
        const distance = known ? value - Math.min(Math.max(value, cell.low), cell.high) : 0;
        gap.style.setProperty("--g", distance);
        gap.querySelector("b").textContent = known ? signed(distance) : "–";
      }
      const x = strategy.rounds.length > 1 ? (200 * frame) / (strategy.rounds.length - 1) : 200;
      card.querySelectorAll(".cursor").forEach((line) => { line.setAttribute("x1", x); line.setAttribute("x2", x); });
      shade();
    };
    let timer = null;
    const stop = () => { clearInterval(timer); timer = null; play.textContent = "▶ Play"; };
    slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
    play.addEventListener("click", () => {
      if (timer) return stop();
      play.textContent = "❚❚ Pause";
      if (slider.value === slider.max) slider.value = "0";
      timer = setInterval(() => {
        show(Number(slider.value));
        if (slider.value === slider.max) return stop();
        slider.value = String(Number(slider.value) + 1);
      }, Math.max(30, 9000 / strategy.rounds.length));
    });
    if (strategy.rounds.length < 2) card.querySelector(".slider").hidden = true;
  });

  const unfold = document.getElementById("unfold");
  if (unfold) unfold.addEventListener("click", () => {
    const episodes = [...document.querySelectorAll(".episode")];
    const open = episodes.some((one) => !one.open);
    episodes.forEach((one) => { one.open = open; });
    unfold.textContent = open ? "Close all" : "Open all";
  });
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", follow);

  // Paper is white: print with the light colours, then go back.
  let before = null;
  window.addEventListener("beforeprint", () => { before = root.dataset.theme; root.dataset.theme = "light"; shade(); drawAll(); });
  window.addEventListener("afterprint", () => { root.dataset.theme = before ?? "auto"; shade(); drawAll(); });

  shade();
  drawAll();
  follow();
  root.dataset.drawn = "true";
})();
