import Foundation
import TestSupport
import Testing

@testable import HostRuntime

@Suite struct StateFileTests {
    @Test func replacesTheFileAtomically() throws {
        // Two replacements, a missing folder, and a leftover of an interrupted write.
        let folder = try TemporaryFolder()
        let file = StateFile(path: folder.path("commands"))
        #expect(try file.read() == nil)
        try file.replace(with: [1, 2, 3])
        try Data([9]).write(to: URL(fileURLWithPath: folder.path("commands.new")))
        #expect(try file.read() == [1, 2, 3])
        try file.replace(with: [4])
        #expect(try file.read() == [4])
        #expect(!FileManager.default.fileExists(atPath: folder.path("commands.new")))

        let nowhere = StateFile(path: folder.path("no/commands"))
        #expect {
            try nowhere.replace(with: [])
        } throws: { error in
            "\(error)" == "cannot create \(nowhere.path).new: No such file or directory"
        }
    }

    @Test func appliesChangesOfSeveralThreads() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("new/tokens")
        // Each thread has its own descriptor, like separate processes.
        let failures = await withTaskGroup(of: (any Error)?.self) { group in
            for number in 1...32 {
                group.addTask {
                    let file = StateFile(path: path)
                    do throws(StateFile.Failure) {
                        try file.changing {
                            $0
                        } _: { () throws(StateFile.Failure) in
                            let bytes = try file.read() ?? []
                            usleep(500)
                            try file.replace(with: bytes + [UInt8(number)])
                        }
                        return nil
                    } catch { return error }
                }
            }
            return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(failures.isEmpty, "\(failures)")
        #expect(try StateFile(path: path).read().map(Set.init) == Set(1...32))
        let nowhere = StateFile(path: folder.path("no/such/tokens"))
        #expect {
            try nowhere.changing {
                $0
            } _: { () throws(StateFile.Failure) in
            }
        } throws: { error in
            "\(error)" == "cannot open \(folder.path("no/such/")): No such file or directory"
        }
    }
}
