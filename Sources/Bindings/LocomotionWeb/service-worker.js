// Keeps the page for use without a network. What was fetched last is served, and renewed behind it.
const cacheName = "locomotion-3";
const files = [
  "./", "index.html", "page.css", "page.mjs", "files.mjs", "report.mjs", "upload.mjs",
  "locomotion.mjs", "layout.mjs", "locomotion.wasm", "example.csv.gz", "example.gps.csv.gz",
  "icon.svg", "manifest.webmanifest",
];

self.addEventListener("install", event => {
  event.waitUntil(caches.open(cacheName).then(cache => cache.addAll(files)));
});

self.addEventListener("activate", event => {
  event.waitUntil(
    caches.keys().then(names =>
      Promise.all(names.filter(name => name !== cacheName).map(name => caches.delete(name)))));
});

self.addEventListener("fetch", event => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(
    caches.open(cacheName).then(async cache => {
      const kept = await cache.match(event.request, { ignoreSearch: true });
      const fresh = fetch(event.request).then(response => {
        if (response.ok && kept) cache.put(event.request, response.clone());
        return response;
      });
      if (!kept) return fresh;
      event.waitUntil(fresh.catch(() => {}));
      return kept;
    }));
});
