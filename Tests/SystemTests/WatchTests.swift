import Foundation
import TestSupport
import Testing

/// `rowgatectl watch` in terminals and in pipes.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct WatchTests {
    /// Output of `Interop/terminal.py`.
    private struct Drawing: Decodable {
        var frames: [[String]]
        var colours: Bool
        var first: String
        var suspended: String
        var resumed: String
        var last: String
        var status: Int32
    }

    /// Resizes the terminal twice, suspends and continues the program, then types Ctrl-C.
    @Test(.timeLimit(.minutes(30)))
    func fitsTheWindow() async throws {
        let room = try await Self.room()
        let gateway = try await room.startGateway()
        try #require(await Self.allStream(in: room), "\(gateway.text)")
        let drawing = try await draw(room, sizes: "120x30,40x5,120x6")
        let heights = drawing.frames.map(\.count)
        #expect(heights == [7, 5, 6], "three lines above the table, its header, and three ergs")
        let widths = drawing.frames.map { $0.map(\.count).max() ?? 0 }
        #expect(widths[0] > 60 && widths[2] > 60)
        #expect(widths[1] <= 40)
        #expect(drawing.frames[0][3].hasPrefix("ERG") && drawing.frames[0][3].hasSuffix("LINK"))
        #expect(drawing.frames[0][6].hasPrefix("erg-3"))
        #expect(drawing.frames[1].last == "3 more lines; make the window taller")
        #expect(drawing.colours)
        #expect(drawing.first.contains("\u{1B}[?1049h"), "uses the alternate screen")
        for output in [drawing.suspended, drawing.last] {
            #expect(output.contains("\u{1B}[?25h\u{1B}[?1049l"), "restores the main screen")
        }
        #expect(drawing.resumed.contains("\u{1B}[?1049h"))
        #expect(drawing.status == 0)
        let plain = try await draw(room, sizes: "80x24", noColour: true)
        #expect(!plain.colours && plain.frames[0].count == 7)
        #expect(plain.frames[0].allSatisfy { $0.count < 80 })
    }

    /// script(1) provides a dumb terminal; the other outputs are pipes.
    @Test(.timeLimit(.minutes(30)))
    func printsPlainTables() async throws {
        let room = try await Self.room()
        let gateway = try await room.startGateway()
        try #require(await Self.allStream(in: room), "\(gateway.text)")
        let dumb = try Self.inTerminal(room, kind: "dumb")
        let pipe = try ChildProcess(
            SimulatedRoom.program("rowgatectl"), ["watch"], environment: Self.environment(room))
        let lines = try ChildProcess(
            SimulatedRoom.program("rowgatectl"), ["watch", "--json"],
            environment: Self.environment(room))
        for process in [dumb, pipe] {
            #expect(
                await eventually { process.text.split(separator: "erg-3 ").count > 2 },
                "\(process.text)")
            #expect(!process.text.contains("\u{1B}"))
            #expect(process.text.contains("ERG    STATE"))
        }
        let names = Set(try await room.status().keys)
        #expect(await eventually { lines.lines.count > 2 }, "\(lines.text)")
        for line in lines.lines.prefix(2) {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect(Set(try #require(object as? [String: Any]).keys) == names)
        }
        for process in [pipe, lines] {
            process.signal(SIGINT)
            #expect(await process.waitForExit() == 0)
        }
        dumb.signal(SIGTERM)
        await dumb.waitForExit()
    }

    @Test(.timeLimit(.minutes(30)))
    func waitsForTheDaemon() async throws {
        let room = try await Self.room()
        let watcher = try Self.inTerminal(room, kind: "xterm")
        #expect(
            await eventually { watcher.text.contains("rowgate is not running") },
            "\(watcher.text)")
        let pipe = try await room.control(["watch"])
        #expect(pipe.status == 3)
        #expect(pipe.text.contains("rowgate is not running"))
        let gateway = try await room.startGateway()
        #expect(
            await eventually { watcher.text.contains("erg-3") },
            "\(gateway.text)\n\(watcher.text)")
        watcher.signal(SIGTERM)
        await watcher.waitForExit()
    }

    // MARK: -

    private static func room() async throws -> SimulatedRoom {
        try await SimulatedRoom(ergs: 3, simulator: "--link-speed 8".words)
    }

    private static func allStream(in room: SimulatedRoom) async -> Bool {
        await eventually {
            let ergs = (try? await room.status())?["ergs"] as? [[String: Any]] ?? []
            let links = ergs.compactMap { $0["link"] as? [String: Any] }
            return links.count { $0["phase"] as? String == "streaming" } == 3
        }
    }

    private static func environment(_ room: SimulatedRoom) -> [String: String] {
        ["ROWGATE_SOCKET": room.folder.path("control.sock")]
    }

    /// Starts `rowgatectl watch` in a terminal of this type.
    private static func inTerminal(
        _ room: SimulatedRoom, kind: String
    ) throws -> ChildProcess {
        let command = "TERM=\(kind) exec '\(SimulatedRoom.program("rowgatectl"))' watch"
        return try ChildProcess(
            "script", ["-qec", command, "/dev/null"], environment: environment(room))
    }

    private func draw(
        _ room: SimulatedRoom, sizes: String, noColour: Bool = false
    ) async throws -> Drawing {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/terminal.py").path
        let process = try ChildProcess(
            "python3", [script, sizes, SimulatedRoom.program("rowgatectl"), "watch"],
            environment: Self.environment(room)
                .merging(["NO_COLOR": noColour ? "1" : ""]) { $1 })
        #expect(await process.waitForExit() == 0, "\(process.text)")
        return try JSONDecoder().decode(Drawing.self, from: Data(process.text.utf8))
    }
}
