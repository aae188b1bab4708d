import Bytes
import Foundation
import PM5Codec
import TestSupport
import Testing

@testable import PM5Simulator

@Suite struct PipeTests {
    private func room(_ count: Int = 2) throws -> PipedRoom {
        let script = try WorkoutScript(parsing: "just-row")
        return PipedRoom(count: count) { number, start in
            SimulatedErg(
                SimulatedIdentity(serial: "43000000\(number)", generation: .new), script: script,
                calendar: MonitorCalendar(minutesAtStart: 29_700_000),
                seed: UInt64(number + 100 * start))
        }
    }

    /// The objects among `lines`, read as a radio would.
    private func objects(_ lines: [String]) -> [JSONObject] {
        lines.compactMap { JSONObject(line: $0) }
    }

    private func connect(_ room: inout PipedRoom, _ pm: Int, at time: Int) {
        for request in [
            #""do":"connect""#, #""do":"subscribe","id":"0031""#, #""do":"subscribe","id":"0035""#,
            #""do":"subscribe","id":"0036""#,
        ] {
            let lines = room.receive("{\"pm\":\(pm),\(request)}", at: time)
            #expect(objects(lines).allSatisfy { $0.text("kind") != "error" })
        }
    }

    @Test func describesAllAttributesBeforeReady() throws {
        // The description is compared with the layout that the simulated bluetoothd exports.
        let lines = try objects(room().description)
        #expect(lines.last?.text("kind") == "ready")
        let first = lines.filter { $0.integer("pm") == 1 }
        #expect(first.first?.text("name") == "PM5 430000001 Row")
        #expect(first.first?.text("address") == "F4:30:00:00:00:01")
        let layout = GattLayout(generation: .new, commandsWithoutResponse: true)
        let reported = first.filter { $0.text("kind") == "characteristic" }
        let expected = layout.services.flatMap(\.characteristics)
        #expect(reported.map { $0.integer("handle") } == expected.map(\.handle))
        #expect(reported.map { $0.integer("configuration") } == expected.map(\.descriptorHandle))
        #expect(reported.map { $0.text("flags") } == expected.map { $0.flags.joined(separator: " ") })
        let status = reported.first { $0.text("id") == "0031" }
        #expect(status?.text("uuid") == PM5UUID.text(.generalStatus))
    }

    @Test func reportsWhenAMonitorStopsAdvertising() throws {
        let script = try WorkoutScript(parsing: "wait")
        var room = PipedRoom(count: 1) { number, _ in
            SimulatedErg(
                SimulatedIdentity(serial: "43000000\(number)", generation: .new),
                script: script, calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: 1,
                power: BatteryPower(sleepAfterMilliseconds: 10_000))
        }
        #expect(room.advance(to: 9_000) == [])
        let off = #"{"pm":1,"kind":"air","advertising":false}"#
        #expect(room.advance(to: 60_000) == [off])
        #expect(
            room.receive(#"{"pm":1,"do":"press","key":"menu"}"#, at: 60_000)
                == [#"{"pm":1,"kind":"air","advertising":true}"#])
        let refused = room.receive(#"{"pm":1,"do":"press","key":"any"}"#, at: 60_000)
        #expect(objects(refused).map { $0.text("kind") } == ["error"])
        #expect(room.advance(to: 90_000) == [off])
        #expect(room.receive(#"{"pm":1,"do":"pull"}"#, at: 90_000).count == 1)
        #expect(room.receive(#"{"pm":1,"do":"leave"}"#, at: 90_000) == [])
    }

    @Test func sendsValuesToSubscribersOnlyAndTruthAfterItsValues() throws {
        // One of two monitors connects; ten seconds are rowed.
        var room = try room()
        connect(&room, 1, at: 1000)
        let lines = objects(room.advance(to: 12_000))
        let values = lines.filter { $0.text("kind") == "value" }
        #expect(!values.isEmpty && values.allSatisfy { $0.integer("pm") == 1 })
        #expect(Set(values.compactMap { $0.text("id") }) == ["0031", "0035", "0036"])
        let strokes = lines.filter { $0.text("kind") == "stroke" }
        #expect(strokes.count >= 2)
        #expect(strokes.allSatisfy { $0.text("erg") == "430000001" && $0.integer("start") == 0 })
        // Two packets of 0x0035 to a stroke, the second ahead of its truth.
        let reported = lines.firstIndex { $0.text("kind") == "stroke" } ?? 0
        #expect(lines[..<reported].count { $0.text("id") == "0035" } == 2)
    }

    @Test func answersReadsAndAppliesWrites() throws {
        var room = try room()
        connect(&room, 2, at: 0)
        func read(_ id: String) -> JSONObject? {
            objects(room.receive(#"{"pm":2,"do":"read","id":"\#(id)"}"#, at: 1)).last
        }
        #expect(read("0034")?.text("hex") == "01")
        _ = room.receive(#"{"pm":2,"do":"write","id":"0034","hex":"02"}"#, at: 1)
        #expect(read("0034")?.text("hex") == "02")
        #expect(read("0031")?.text("kind") == "answer" && read("0031")?.text("hex") == nil)
    }

    @Test func restartResetsTheMonitor() throws {
        var room = try room(1)
        connect(&room, 1, at: 0)
        let before = objects(room.advance(to: 20_000)).filter { $0.text("kind") == "stroke" }
        _ = room.receive(#"{"pm":1,"do":"restart"}"#, at: 20_000)
        #expect(objects(room.advance(to: 25_000)).allSatisfy { $0.text("kind") != "value" })
        connect(&room, 1, at: 25_000)
        let after = objects(room.advance(to: 45_000)).filter { $0.text("kind") == "stroke" }
        #expect(before.first?.integer("stroke") == 1 && after.first?.integer("stroke") == 1)
        #expect(after.allSatisfy { $0.integer("start") == 1 && $0.integer("session") == 1 })
        #expect(before.first?.decimal("distance_m") != after.first?.decimal("distance_m"))
    }

    @Test func invalidRequestIsReturnedAsError() throws {
        var room = try room(1)
        for line in [
            "", "{}", "[]", #"{"pm":2,"do":"connect"}"#, #"{"pm":1,"do":"fly"}"#,
            #"{"pm":1,"do":"subscribe"}"#, #"{"pm":1,"do":"write","id":"0034","hex":"0"}"#,
            #"{"pm":1,"do":"read","id":"xyz"}"#,
        ] {
            let answer = objects(room.receive(line, at: 0)).last
            #expect(answer?.text("kind") == "error" && answer?.text("text") == line)
        }
    }

    @Test(.timeLimit(.minutes(30))) func servesUntilEndOfInput() async throws {
        // Requests arrive in parts between two pipes.
        let (requests, answers) = (Pipe(), Pipe())
        let driver = RoomPipe(
            try room(1), speed: 1, input: requests.fileHandleForReading.fileDescriptor,
            output: answers.fileHandleForWriting.fileDescriptor)
        let (ends, end) = AsyncStream<Void>.makeStream()
        await driver.start { end.yield() }
        for part in [#"{"pm":1,"do":"re"#, "ad\",\"id\":\"0012\"}\n{\"pm\":1,", "\"do\":\"x\"}\n"] {
            try requests.fileHandleForWriting.write(contentsOf: Data(part.utf8))
        }
        try requests.fileHandleForWriting.close()
        for await _ in ends { break }
        await driver.stop()
        try answers.fileHandleForWriting.close()
        let text = try answers.fileHandleForReading.readToEnd() ?? Data()
        let reported = objects(
            String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init))
        let kinds = reported.compactMap { $0.text("kind") }
        #expect(kinds.suffix(3) == ["ready", "answer", "error"])
        #expect(reported.dropLast().last?.text("hex") == "343330303030303031")
    }
}
