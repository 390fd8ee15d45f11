"use strict";

// Draws every chart of a page in the page's theme. The figures are JSON in the page; the tables
// behind them hold the same numbers for everybody.
(() => {
  const root = document.documentElement;
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const theme = () => root.dataset.theme || (prefersDark.matches ? "dark" : "light");

  // A trace with a look gets colours that no colourway has.
  const dressed = (trace, looks) => {
    const { look, ...plain } = trace;
    if (!look) { return plain; }
    const parts = Object.entries(looks[look]).map(([part, value]) => [part, { ...plain[part], ...value }]);
    return { ...plain, ...Object.fromEntries(parts) };
  };

  // Names are written where the plot is wide enough for them.
  const fitting = (annotations, width) => annotations
    .filter((one) => one.needs <= width).map(({ needs, ...plain }) => plain);

  const draw = () => {
    document.querySelectorAll("[data-plot]").forEach((place) => {
      const source = document.getElementById(place.dataset.plot);
      if (!source || !window.Plotly) { return; }
      const figure = JSON.parse(source.textContent);
      const data = figure.data.map((trace) => dressed(trace, figure.looks[theme()]));
      const layout = { ...figure.layout, template: figure.themes[theme()] };
      if (layout.annotations) { layout.annotations = fitting(layout.annotations, place.clientWidth); }
      place.textContent = "";
      window.Plotly.newPlot(place, data, layout, figure.config);
    });
  };

  draw();
  prefersDark.addEventListener("change", draw);
})();
