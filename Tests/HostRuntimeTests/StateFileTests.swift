import Foundation
import TestSupport
import Testing

@testable import HostRuntime

@Suite struct StateFileTests {
    @Test func oldOrNew() throws {
        // Goal: the file is the old one or the new one, and a failure names the place. Method: two
        // replacements; a folder that is not there; a leftover of a write that was cut.
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
}
