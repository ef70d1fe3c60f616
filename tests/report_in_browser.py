#!/usr/bin/env python3
"""Looks at a report page in a real browser (chromium, headless).

    pi5-nvme bench --compare A B --report page.html
    python3 tests/report_in_browser.py page.html [folder for pictures]

Takes pictures of it, light and dark, 1000 and 400 pixels wide, and finds what
the eye would: something wider than the page, words outside their drawing, words
on top of each other. Exits with 1 when it finds any. Needs no Python packages.
"""

import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"]

LOOK = """
const found = [], page = document.querySelector('iframe').contentDocument;
const wide = page.documentElement.clientWidth;
if (page.documentElement.scrollWidth > wide) found.push('the page is ' + page.documentElement.scrollWidth + ' wide');
for (const e of page.querySelectorAll('body *')) {
  const box = e.getBoundingClientRect();
  if (box.width && (box.right > wide + 1 || box.left < -1) && !e.closest('.scroll'))
    found.push('outside the page: ' + e.tagName + ' ' + e.textContent.slice(0, 40));
}
let texts = 0;
for (const svg of page.querySelectorAll('svg')) {
  const around = svg.getBoundingClientRect();
  if (!around.width) continue;
  const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
  texts += boxes.length;
  for (const [text, b] of boxes)
    if (b.left < around.left - 1 || b.right > around.right + 1 || b.top < around.top - 1 || b.bottom > around.bottom + 1)
      found.push('outside its drawing: ' + text);
  boxes.forEach(([text, b], i) => boxes.slice(i + 1).forEach(([other, c]) => {
    if (b.left < c.right - 1 && c.left < b.right - 1 && b.top < c.bottom - 4 && c.top < b.bottom - 4)
      found.push('on top of each other: ' + text + ' / ' + other);
  }));
}
if (!texts) found.push('no words in any drawing');
document.title = JSON.stringify({found, texts, height: page.documentElement.scrollHeight});
"""


def chromium(url, *flags):
    with tempfile.TemporaryDirectory() as profile:
        run = subprocess.run([*CHROMIUM, f"--user-data-dir={profile}", *flags, url],
                             capture_output=True, text=True, timeout=120)
    return run.stdout


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()).resolve()
    text = page.read_text()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        frame = pathlib.Path(folder) / "frame.html"
        for width in (1000, 400):
            # A browser window is never as narrow as a phone: a frame in it is.
            inner = f'<iframe srcdoc="{html.escape(text)}" width="{width}" height="HEIGHT" style="border:0"></iframe>'
            frame.write_text(f"<body style='margin:0'>{inner}<script>onload=()=>{{{LOOK}}}</script>")
            answer = re.search(r"<title>(.*?)</title>", chromium(frame.as_uri(), "--dump-dom"), re.S)
            if not answer:
                sys.exit("chromium gave no answer")
            seen = json.loads(html.unescape(answer[1]))
            for what in seen["found"]:
                print(f"{width} wide: {what}")
            wrong += len(seen["found"])
            height = int(seen["height"])
            frame.write_text(f"<body style='margin:0'>{inner.replace('HEIGHT', str(height))}")
            for side, scheme in (("light", 1), ("dark", 0)):
                picture = pictures / f"{page.stem}-{width}-{side}.png"
                chromium(frame.as_uri(), f"--screenshot={picture}", f"--window-size={max(width, 500)},{height}",
                         f"--blink-settings=preferredColorScheme={scheme}")
                print(f"{width} wide, {side}: {seen['texts']} words in drawings, {picture}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
