# demo   the main job on a real table: demo/credit-rosenblatt/report.html
# test   everything, from nothing; BROWSER=no leaves out what needs one
# check  ruff, types, and that the layers of the house import downwards only
# tree   every file of the package, with the first line that it says of itself
# bench  side by side with the peers, as ratios
# soak   the heavy tests in full, in parts of at most 90 minutes: the next `make soak` continues,
#        FRESH=1 begins again, MINUTES=30 makes shorter parts
# fuzz   attacks, in full: files spoiled, processes killed, disks filled, and libFuzzer where clang is;
#        SECONDS=60 says how long that takes, FULL=0 runs a twentieth of the rest
# sanitize  the compiled core under the address, undefined-behaviour and thread sanitizers
# gpu    tests and benchmark on an NVIDIA GPU; says so where there is none
# site   the documentation as a static site: site/index.html
# tour   the notebooks of docs/tour, run, and what they show written into them
# commands  docs/commands.md, after a change of options
# stub   the types of the compiled core, after a change of native/module.cpp
# wasm   the core of the playground, after a change of native/; compares bytes where nothing changed
# wheel  the source distribution and the wheels of this Linux machine, in dist/;
#        ALSO=3.14t adds one for that free-threaded Python
# release  everything that is checked before a release; stops before uploading
#
# Each makes .venv and builds the compiled core first; a changed source rebuilds.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
ATTACKS := tests/attacks tests/model/test_model_file_attacks.py tests/model/test_checkpoint.py \
  tests/data/test_fuzz.py tests/util tests/out_of_core/test_faults.py tests/study/test_study_killed.py
# pip would compile modules on one processor, and the tests of libraries with them.
INSTALL := $(RUN) -m pip install --quiet --no-compile
COMPILE := $(RUN) -m compileall -qq -j 0 -x '[/\\]tests[/\\]' $(VENV)/lib src || true
SECONDS := 60
MINUTES := 90
FULL := 1
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*)

export ROSENBLATT_REQUIRE_NATIVE := 1
ifeq ($(BROWSER),no)
export ROSENBLATT_BROWSER := no
endif

.PHONY: demo test check tree bench soak fuzz gpu sanitize clean browser stub wasm site tour wheel release commands

demo: $(VENV)/core
	mkdir -p demo
	cd demo && ../$(VENV)/bin/rosenblatt demo
	@printf '\nAs the warning says, without the columns that are known only afterwards:\n\n'
	cd demo && ../$(VENV)/bin/rosenblatt fit credit.csv --target card --ignore share --ignore expenditure
	@echo 'The report is demo/credit-rosenblatt/report.html'

test: $(VENV)/tools browser
	$(RUN) -m pytest --numprocesses auto --dist worksteal
	ROSENBLATT_CORE=reference $(RUN) -m pytest -q tests/training/test_textbook.py tests/core/test_reference_trains.py

check: $(VENV)/tools
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports

tree:
	@"$(PYTHON)" scripts/tree.py

bench: $(VENV)/tools
	$(RUN) benchmarks/typical.py
	$(RUN) benchmarks/run.py
	$(RUN) benchmarks/certify.py
	$(RUN) benchmarks/separation.py
	$(RUN) benchmarks/kernel.py
	$(RUN) benchmarks/classes.py
	$(RUN) benchmarks/trace.py
	$(RUN) benchmarks/model_file.py
	$(RUN) benchmarks/minimum.py
	$(RUN) benchmarks/scorecard.py
	$(RUN) benchmarks/opinion.py
	$(RUN) benchmarks/fit.py
	$(RUN) benchmarks/online.py
	$(RUN) benchmarks/play.py
	$(RUN) -m pip install --quiet --group bench
	$(RUN) benchmarks/svmlight.py
	$(RUN) benchmarks/screening.py
	$(RUN) benchmarks/data.py
	$(RUN) benchmarks/streams.py
	$(RUN) benchmarks/accuracy.py

site: $(VENV)/core
	$(RUN) -m pip install --quiet --group site
	$(RUN) scripts/site/build.py site

tour: $(VENV)/tools
	$(RUN) scripts/tour.py

commands: $(VENV)/core
	$(RUN) scripts/commands_page.py

stub: $(VENV)/tools
	$(RUN) -m nanobind.stubgen -q -m rosenblatt._core._native -o src/rosenblatt/_core/_native.pyi

wasm: $(VENV)/core
	$(RUN) -m pip install --quiet --group wasm
	$(RUN) scripts/wasm.py

wheel: $(VENV)/core
	$(RUN) -m pip install --quiet --group release
	$(RUN) scripts/build_wheel.py $(if $(ALSO),--also $(ALSO))

release: $(VENV)/core
	$(RUN) scripts/release.py --before
	$(MAKE) check test wheel
	$(RUN) scripts/release.py

soak: $(VENV)/tools browser
	$(RUN) -m pip install --quiet --group soak --group release
	test "$(ROSENBLATT_BROWSER)" = no || sh scripts/firefox.sh
	$(RUN) scripts/soak.py --minutes $(MINUTES) $(if $(FRESH),--fresh)

fuzz: $(VENV)/tools
	sh scripts/fuzz.sh $(SECONDS)
	ROSENBLATT_SOAK=$(FULL) $(RUN) -m pytest --numprocesses auto --dist worksteal $(ATTACKS)

gpu: $(VENV)/tools
	ROSENBLATT_SOAK=1 $(RUN) -m pytest tests/gpu
	$(RUN) benchmarks/gpu.py

sanitize: $(VENV)/tools
	sh scripts/sanitize.sh $(RUN)

browser:
	test "$(ROSENBLATT_BROWSER)" = no || sh scripts/browser.sh

$(VENV)/bin/python:
	sh scripts/prerequisites.sh "$(PYTHON)"
	"$(PYTHON)" -m venv $(VENV)

$(VENV)/core: $(VENV)/bin/python $(SOURCES)
	$(RUN) -m pip install --quiet --upgrade pip
	$(INSTALL) --editable .
	$(COMPILE)
	touch $@

$(VENV)/tools: $(VENV)/core
	$(INSTALL) --group test --group check
	$(COMPILE)
	touch $@

clean:
	rm -rf $(VENV) build
