import Foundation
import HostRuntime
import Testing

@testable import Logbook
@testable import WebServer

@Suite struct PagesTests {
    private let site = LogbookSite(
        pages: Pages(),
        room: LiveRoom(runtime: SystemRuntime(), log: SystemLog(subsystem: "test")))

    @Test func everyFileOfTheFolderIsServedAsItIs() throws {
        // Goal: no page lacks a file, and none is out of date. Method: the folder beside the program.
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Services/Logbook/Pages")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasPrefix(".") }
        #expect(Pages.contents.map(\.name).sorted() == names.sorted())
        for (name, bytes) in Pages.contents {
            let file = try Data(contentsOf: folder.appendingPathComponent(name))
            #expect(bytes == Array(file), "\(name)")
        }
    }

    @Test func everyAddressHasItsAnswer() {
        // Goal: the addresses of the wall, and nothing else. Method: each, and near misses.
        for path in ["/", "/wall", "/assets/wall.html"] {
            guard case .file(let file) = site.answer(WebRequest(path: path)) else {
                Issue.record("no file at \(path)")
                continue
            }
            #expect(file.contentType == "text/html; charset=utf-8")
            #expect(file.entityTag.count == 18)
        }
        for path in ["/assets/", "/assets/../wall.html", "/wall.html", "/api/v1", "", "/wall/"] {
            guard case .failure(status: 404, _, _) = site.answer(WebRequest(path: path)) else {
                Issue.record("something is at \(path)")
                continue
            }
        }
        guard case .stream("text/event-stream", _) = site.answer(WebRequest(path: "/api/v1/live"))
        else {
            Issue.record("no stream")
            return
        }
    }
}
