.PHONY: build demo test short race lint fuzz-models fuzz-waits fuzz-deps fuzz-states fuzz-cat fuzz-java fuzz-parser fuzz-litmus fuzz-native fuzz-csmith cycles hunt bench chaos figures vscode release

build:
	go build -o ravel ./cmd/ravel

demo:
	scripts/demo

test:
	scripts/test

# The extension for VS Code: editors/vscode/ravel.vsix.
vscode: build
	cd editors/vscode && npm ci && RAVEL=../../ravel npm test && npm run package

# Archives of all systems in dist, as version VERSION.
release:
	scripts/release $(VERSION)

# The inner loop: samples of the long tests, under a minute.
short:
	go test -short ./...

race:
	scripts/race

# golangci-lint is not a dependency of the module: go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.11.4
lint:
	golangci-lint run

# 20,000 random programs per model against the brute-force enumerator.
fuzz-models:
	go test ./internal/explore -run 'TestRandomPrograms|TestStarts|TestWorkers' -programs 20000 -timeout 120m
	go test ./internal/explore/xmm -run 'TestRandom|TestWeakCAS|TestHandover|TestNovelRandom|TestCounters' -programs 20000 -timeout 120m
	go test ./internal/explore -run 'TestJavaRandomPrograms|TestJavaPrivate|TestJavaCycles|TestBackward' -java-programs 20000 -timeout 120m
	go test ./internal/explore/xmm -run TestJavaRandom -java-programs 20000 -timeout 60m
	go test ./internal/enumerate -run TestJavaRandomPrograms -java-programs 20000 -timeout 60m

# PROGRAMS random programs per model whose threads wait, from SEED on: awaits, locks, barriers, retries, weak compare-and-swaps, all of these mixed, equal threads, against the enumerator and
# explorations without reductions; as many in C, with locks and condition variables, against the states engine. Some tests take a quarter or an eighth of the programs.
PROGRAMS ?= 20000
SEED ?= 1
fuzz-waits:
	go test ./internal/explore -run 'TestAwaits|TestLost|TestRounds|TestTries|TestTurns|TestPassed|TestRefused|TestLooks|TestConfirms|TestBarriers|TestWeak|TestMixed|TestEqual' -programs $(PROGRAMS) -rounds $(PROGRAMS) -loops $(PROGRAMS) -seed $(SEED) -timeout 1200m
	go test ./internal/states -run 'TestRandomC|TestChoosingC|TestWakeups|TestVainWaits' -c-programs $(PROGRAMS) -seed $(SEED) -timeout 1200m

# 20,000 random programs per model that tracks dependencies: executions, races, errors; all litmus tests of the kernel in C; and as many in the assembly of AArch64.
fuzz-deps:
	go test ./internal/explore -run 'TestDependencies|TestPairs|TestRestores|TestConsistent|TestObserver|TestOwnReads|TestTags|TestKernel|TestWeakCAS|TestErrorsWithHoles' -programs 20000 -timeout 600m
	go test ./internal/cat -run TestLinuxAgainstBrute -programs 20000 -timeout 60m
	go test ./internal/check -run TestLinux -linux -timeout 60m
	go test ./internal/check -run TestAsmRandom -asm-programs 20000 -timeout 60m

# 10,000 random programs against the graph engine, the enumerator and the rules of lmo and rmo; 3,000 in C, with locks and all, and the whole corpus
# in both engines.
fuzz-states:
	go test ./internal/states -run 'TestVerdicts|TestLMO|TestDeferredErrors|TestSymmetry' -programs 10000 -timeout 120m
	go test ./internal/states -run 'TestRandomPrograms|TestStarts' -programs 3000 -timeout 120m
	go test ./internal/states -run TestRandomC -c-programs 3000 -timeout 120m
	go test ./internal/states -run TestCorpus -corpus -corpus-limit 500s -timeout 120m

# 50,000 random programs per model, under the model in Go and its twin in cat, and 5,000 under the twin and the enumerator; 5,000 random models,
# explored and enumerated.
fuzz-cat:
	go test ./internal/enumerate -run 'TestRandomModels|TestWalks' -models 5000 -timeout 120m -v
	go test ./internal/explore -run TestCatTwins -cat-programs 50000 -timeout 120m
	go test ./internal/explore -run 'TestCat$$' -cat-programs 5000 -timeout 120m

# 20,000 random Java programs against the brute-force checker of justifications; no test makes jmm panic.
fuzz-java:
	go test ./internal/justify -run TestRandom -programs 20000 -timeout 60m
	go test ./internal/justify -run xxx -fuzz FuzzAnalyse -fuzztime 2m -fuzzminimizetime 5s
	go test ./internal/jmm -run xxx -fuzz FuzzTranslate -fuzztime 1m -fuzzminimizetime 5s

fuzz-parser:
	go test ./internal/frontend/llvm -run xxx -fuzz FuzzParse -fuzztime 5m

# The readers of .litmus and .cat files, the evaluator of models, the enumerator, and cycles: no panic, no hang, errors with a place.
fuzz-litmus:
	go test ./internal/frontend/litmus -run xxx -fuzz FuzzParse -fuzztime 2m -fuzzminimizetime 5s
	go test ./internal/cat -run xxx -fuzz FuzzParse -fuzztime 2m -fuzzminimizetime 5s
	go test ./internal/cat -run xxx -fuzz FuzzEval -fuzztime 2m -fuzzminimizetime 5s
	go test ./internal/enumerate -run xxx -fuzz FuzzRun -fuzztime 2m -fuzzminimizetime 5s
	go test ./internal/diy -run xxx -fuzz FuzzParse -fuzztime 1m -fuzzminimizetime 5s

# 5,000 random C programs with heap, copies, unions and lifetimes against clang's sanitizers, and 5,000 with threads. -keep FOLDER keeps what differs.
fuzz-native:
	go test ./internal/native -run 'TestSequential|TestThreads' -programs 5000 -thread-programs 5000 -timeout 600m -v
	go test ./internal/runtime -run TestNative -native-programs 1000 -timeout 600m

# The checksums of 1,000 programs of csmith, natively and by ravel at -O0 to -O3.
fuzz-csmith:
	scripts/setup csmith
	go test ./internal/native -run TestCsmith -csmith 1000 -timeout 600m -v

# All cycles of relaxation edges up to a size, under ten models: cat against brute force.
cycles:
	go test ./internal/diy -run TestSystematic -size 6 -timeout 60m -v

# Errors far from where an exploration begins, found by random walks; and none in the right programs, which are searched for a minute each.
hunt:
	go test ./internal/bench -run TestErrors -right-time 60s -timeout 180m -v

bench: build
	./ravel bench peers
	./ravel bench hmc
	./ravel bench llmc
	./ravel bench jmt

# 200 rounds of checks whose workers, clients and servers are killed at random; and the whole corpus in pieces.
figures:
	go test ./internal/cluster -run TestFigures -figures -timeout 60m -v

chaos:
	go test ./internal/cluster -run 'TestChaos|TestFailures' -chaos-long -chaos-rounds 200 -timeout 1200m -v
	go test ./internal/cluster -run TestPieces -corpus-share 1 -timeout 120m
	go test ./internal/check -run 'TestErrors$$|TestCounts|TestJava$$' -pieces -timeout 240m
