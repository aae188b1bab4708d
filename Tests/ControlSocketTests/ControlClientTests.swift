import Foundation
import TestSupport
import Testing

@testable import ControlSocket

@Suite struct ControlClientTests {
    @Test(arguments: [ENOENT, ECONNREFUSED])
    func missingDaemonIsReportedWithRemedy(code: Int32) {
        let error = ControlClientError(
            connecting: ControlSocketError(
                operation: "connect", path: "/run/rowgate/control.sock", code: code)
        )
        #expect(
            error.description == "rowgate is not running (no process listens at "
                + "/run/rowgate/control.sock); start it: sudo systemctl start rowgate")
    }

    @Test func deniedSocketNamesTheGroupToJoin() throws {
        // Uses a file of another group, if the test may create one. For root's group the remedy is sudo.
        let folder = try TemporaryFolder()
        let path = folder.path("control.sock")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let denied = ControlSocketError(operation: "connect", path: path, code: EACCES)
        if chown(path, getuid(), 0) == 0 {
            #expect("\(ControlClientError(connecting: denied))".hasSuffix("try again with sudo"))
        }
        guard let adm = getgrnam("adm")?.pointee.gr_gid, chown(path, getuid(), adm) == 0 else {
            return
        }
        #expect(
            "\(ControlClientError(connecting: denied))"
                == "permission denied: \(path) is for the group adm; join it: "
                + "sudo usermod -aG adm $USER, then log in again")
    }

    @Test func hangingDaemonTimesOut() async throws {
        // The listener never calls accept: only the kernel accepts the connection.
        let folder = try TemporaryFolder()
        let path = folder.path("control.sock")
        let listener = try LocalSocket.listen(at: path, backlog: 1)
        defer { close(listener) }
        let limit = Duration.milliseconds(50)
        await #expect(throws: ControlClientError.timedOut(after: limit)) {
            try await onThread {
                var client = try ControlClient(connectingTo: path, timeout: limit)
                return try client.call(RowgateInterface.Status.self, .init())
            }
        }
    }

    @Test(arguments: ["{}\0", "nonsense\0", "{\"parameters\":{\"status\":\"odd\"}}\0"])
    func invalidReplySuggestsAVersionMismatch(reply: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("control.sock")
        let listener = try LocalSocket.listen(at: path, backlog: 1)
        defer { close(listener) }
        await #expect {
            try await onThread {
                var client = try ControlClient(connectingTo: path, timeout: .patience)
                // The reply precedes the request: the kernel buffers both until they are read.
                let peer = accept(listener, nil, nil)
                defer { close(peer) }
                _ = send(peer, reply, reply.utf8.count, 0)
                return try client.call(RowgateInterface.Status.self, .init())
            }
        } throws: { error in
            "\(error)".contains("check that rowgate and rowgatectl have the same version")
        }
    }

    @Test func rejectsPathsOver107Bytes() {
        let fits = "/" + String(repeating: "x", count: 106)
        #expect(throws: ControlClientError.notRunning(path: fits)) {
            try ControlClient(connectingTo: fits).discard()
        }
        let long = fits + "x"
        #expect {
            try ControlClient(connectingTo: long).discard()
        } throws: { error in
            "\(error)" == "\(long): socket path: File name too long"
        }
    }
}

extension ControlClient {
    /// Closes a connection that a test only needed to open.
    fileprivate consuming func discard() {}
}
