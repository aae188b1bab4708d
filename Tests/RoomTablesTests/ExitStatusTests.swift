import TestSupport
import Testing

@testable import ControlSocket
@testable import RoomTables

@Suite struct ExitStatusTests {
    @Test func exitStatusFollowsTheRequestedErgs() {
        var status = StatusReply.sample
        for (health, exit) in [(StatusReply.Health.ok, 0), (.degraded, 1), (.failed, 2)] {
            status.status = health
            #expect(status.exitStatus(ofErg: nil).rawValue == Int32(exit))
        }
        #expect(status.exitStatus(ofErg: "erg-1") == .ok)
        #expect(status.exitStatus(ofErg: "erg-3") == .degraded)
    }
}
