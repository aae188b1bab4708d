import Foundation
import TestSupport
import Testing

@testable import ControlSocket

@Suite struct ControlClientTests {
    @Test(arguments: [ENOENT, ECONNREFUSED])
    func absentDaemonIsNamedWithItsRemedy(code: Int32) {
        // Goal: a person knows what to do next. Method: the two ways in which nobody listens.
        let error = ControlClientError(
            connecting: ControlSocketError(
                operation: "connect", path: "/run/rowgate/control.sock", code: code)
        )
        #expect(
            error.description == "rowgate is not running (nobody listens at "
                + "/run/rowgate/control.sock); start it: sudo systemctl start rowgate")
    }

    @Test func deniedSocketNamesTheGroupToJoin() throws {
        // Goal: "permission denied" comes with the group. Method: a file of another group, where
        // we may make one; root's own group leads to sudo instead.
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
        // Goal: rowgatectl never hangs. Method: a listener that accepts in the kernel and no more.
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
    func replyOfAnotherVersionIsSaidToBeOne(reply: String) async throws {
        // Goal: mixed versions give a sentence, not a crash. Method: a server with wrong replies.
        let folder = try TemporaryFolder()
        let path = folder.path("control.sock")
        let listener = try LocalSocket.listen(at: path, backlog: 1)
        defer { close(listener) }
        await #expect {
            try await onThread {
                var client = try ControlClient(connectingTo: path, timeout: .patience)
                // Answered before it is asked: the kernel keeps both until they are read.
                let peer = accept(listener, nil, nil)
                defer { close(peer) }
                _ = send(peer, reply, reply.utf8.count, 0)
                return try client.call(RowgateInterface.Status.self, .init())
            }
        } throws: { error in
            "\(error)".contains("are rowgate and rowgatectl of one version?")
        }
    }

    @Test func pathThatFitsNoAddressIsRefused() {
        // Goal: a long path is an error, not a truncation. Method: 107 and 108 bytes.
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
    /// Lets go of a connection that a test only wanted to open.
    fileprivate consuming func discard() {}
}
