import Foundation
import LogbookStores
import TestSupport
import Testing

@testable import Contract
@testable import LogbookInspection

/// Copies a store while it is written to, and restores the copy.
@Suite struct StoreBackupTests {
    private var traffic = Traffic()
    private let folder: TemporaryFolder
    private let path: String
    private let copyPath: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("logbook.db")
        copyPath = folder.path("copy.db")
    }

    private mutating func commitSession(
        _ store: some LogbookStore, _ session: String, strokes: Int
    ) throws {
        let records = try traffic.session(session, strokes: strokes, missesItsEnd: true).map {
            let (gateway, _) = try #require(TopicPrefix.standard.parse($0.topic))
            return try ValidatedRecord($0.payload, of: try #require($0.stream), from: gateway)
        }
        var batch = StoreBatch(records: records, now: 1_788_627_100_000)
        batch.states[SessionName(gateway: traffic.gateway, session: session)] = .verified
        _ = try store.commit(batch)
    }

    private func backUp(_ meanwhile: () throws -> Void = {}) throws -> StoreComparison {
        let backup = try StoreBackup(of: path, to: copyPath)
        try meanwhile()
        var reported: (Int64, Int64) = (0, 1)
        let copy = try backup.copy { reported = ($0, $1) }
        #expect(reported.0 == reported.1)
        let comparison = try StoreComparison(backup.source, copy)
        try backup.finish(copy, isGood: comparison.differences.isEmpty)
        return comparison
    }

    /// Closes the store, so that it can be replaced afterwards.
    private func check(_ path: String) throws -> LogbookCheck {
        let store = try SQLiteStore(path, for: .readOnly)
        defer { store.close() }
        return try LogbookCheck(store)
    }

    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path(".")).sorted()
        }
    }

    @Test mutating func copiesASnapshot() throws {
        // Stores a session between the snapshot and the copy.
        let store = try SQLiteStore(path, for: .recording)
        try commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 900)
        var other = self
        let comparison = try backUp {
            try other.commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 20)
        }
        #expect(comparison.differences == [] && comparison.sessions == 1)
        #expect(try files.filter { $0.hasPrefix("copy.db") } == ["copy.db"])
        #expect(try store.sessions(SessionFilter(limit: 9)).count == 2)
        let found = try check(copyPath)
        #expect(found.isSound && found.verified == 1)
        let refusal = #expect(throws: StoreFailure.self) {
            try StoreBackup(of: path, to: copyPath)
        }
        #expect(refusal?.cause == "it exists already")
        let mode = try FileManager.default.attributesOfItem(atPath: copyPath)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        store.close()
    }

    @Test mutating func copiesMerges() throws {
        let store = try SQLiteStore(path, for: .recording)
        try commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 9)
        let merge = StoredMerge(athlete: "bea", kept: "anna", mergedAt: 5, by: nil, saved: Array("{}".utf8))
        try store.merges.add(merge)
        let session = SessionName(gateway: traffic.gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        _ = try store.correct(session, to: .corrected("bea"), at: 5, by: nil)
        #expect(try backUp().differences == [])
        store.close()
        let restore = try StoreRestore(copyPath, to: path)
        _ = try restore.replace(restore.prepare { _, _ in }, at: "20261125T021500Z")
        let restored = try SQLiteStore(path, for: .readOnly)
        #expect(try restored.merges.all() == [merge])
        #expect(try restored.merges.sessions().map(\.athlete) == ["bea"])
        restored.close()
    }

    @Test mutating func copiesSharedLinks() throws {
        let store = try SQLiteStore(path, for: .recording)
        let link = StoredPieceLink(
            digest: "d", gateway: traffic.gateway, sessions: ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE"], createdAt: 5,
            by: nil, expiresAt: 9)
        try store.pieceLinks.add(link)
        let addition = StoredPieceAddition(
            id: "a", gateway: traffic.gateway, sessions: link.sessions, pieceStartedAt: 5, athlete: "anna",
            result: .distance(metres: 8012), day: "2026-11-24", note: "", addedAt: 5, by: "Jörg")
        try store.pieceAdditions.add(addition)
        #expect(try backUp().differences == [])
        #expect(try store.pieceLinks.remove("d") && store.pieceAdditions.remove("a"))
        store.close()
        let restore = try StoreRestore(copyPath, to: path)
        _ = try restore.replace(restore.prepare { _, _ in }, at: "20261125T021500Z")
        let restored = try SQLiteStore(path, for: .readOnly)
        #expect(try restored.pieceLinks.all() == [link])
        #expect(try restored.pieceAdditions.all() == [addition])
        restored.close()
    }

    @Test mutating func copiesUploadsWithoutAccounts() throws {
        let store = try SQLiteStore(path, for: .recording)
        let session = SessionName(gateway: traffic.gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        let upload = StoredUpload(session, of: "anna", to: "strava", at: 5)
        try store.uploads.add(upload)
        let secret = Array("the encrypted credentials".utf8)
        try store.uploadAccounts.save(
            StoredUploadAccount(athlete: "anna", destination: "strava", label: "A", secret: secret, since: 5))
        #expect(try backUp().differences == [])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: copyPath))
        #expect(bytes.range(of: Data(session.session.utf8)) != nil && bytes.range(of: Data(secret)) == nil)
        let copy = try SQLiteStore(copyPath, for: .readOnly)
        #expect(try copy.uploads.all() == [upload] && copy.uploadAccounts.all() == [])
        copy.close()
        #expect(try store.uploadAccounts.all().count == 1)
        store.close()
    }

    @Test mutating func preservesTheOldStoreOnRestore() throws {
        let store = try SQLiteStore(path, for: .recording)
        try commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 50)
        _ = try backUp()
        try commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 20)
        let refusal = #expect(throws: StoreFailure.self) {
            try StoreRestore(copyPath, to: path)
        }
        #expect(refusal?.kind == .busy)
        #expect(
            refusal?.cause == "process \(ProcessInfo.processInfo.processIdentifier) has it open")
        store.close()
        let restore = try StoreRestore(copyPath, to: path)
        let old = try #require(
            try restore.replace(restore.prepare { _, _ in }, at: "20261125T021500Z"))
        #expect(old == path + ".until-20261125T021500Z")
        #expect(try check(path).verified == 1)
        #expect(try check(old).verified == 2)
        #expect(
            try files == ["copy.db", "logbook.db", "logbook.db.until-20261125T021500Z"])
        let repeated = try SQLiteStore(path, for: .recording)
        try commitSession(repeated, "01J7ZK3Q5XQ4W8G9T2V6B0C1DG", strokes: 5)
        repeated.close()
        #expect(try check(path).faults == [])
    }

    @Test mutating func refusesUnsoundBackups() throws {
        // Restores a copy with an altered stroke, a truncated one, one of another program, and one of a
        // later version.
        let store = try SQLiteStore(path, for: .recording)
        try commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 400)
        store.close()
        _ = try backUp()
        let whole = try Data(contentsOf: URL(fileURLWithPath: copyPath))
        let before = try (files, Data(contentsOf: URL(fileURLWithPath: path)))

        var altered = whole
        let record = try #require(altered.range(of: Data(#""kind":"stroke""#.utf8)))
        let field = try #require(
            altered.range(of: Data(#""stroke":"#.utf8), in: record.upperBound..<altered.count))
        altered[field.upperBound] ^= 1
        try altered.write(to: URL(fileURLWithPath: copyPath))
        let restore = try StoreRestore(copyPath, to: path)
        let copy = try restore.prepare { _, _ in }
        #expect(try !LogbookCheck(copy).isSound)
        copy.close()
        restore.discard()

        var later = whole
        later[60..<64] = Data([0, 0, 1, 0])
        var strange = whole
        strange[68..<72] = Data([1, 2, 3, 4])
        for (bytes, kind) in [
            (whole.prefix(whole.count / 2), StoreFailure.Kind.corrupt), (later, .newer),
            (strange, .corrupt), (Data("no store".utf8), .corrupt), (Data(), .corrupt),
        ] {
            try Data(bytes).write(to: URL(fileURLWithPath: copyPath))
            var found: StoreFailure.Kind?
            do throws(StoreFailure) {
                let restore = try StoreRestore(copyPath, to: path)
                let copy = try restore.prepare { _, _ in }
                let check = try LogbookCheck(copy)
                if !check.isSound { found = .corrupt }
                copy.close()
                restore.discard()
            } catch { found = error.kind }
            #expect(found == kind)
        }
        #expect(try files == before.0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before.1)
    }

    @Test mutating func replacesAndPreservesADamagedStore() throws {
        // The first page is overwritten, and the write-ahead log is invalid.
        let store = try SQLiteStore(path, for: .recording)
        try commitSession(store, "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 50)
        _ = try backUp()
        store.close()
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))
        try Data(repeating: 8, count: 100).write(to: URL(fileURLWithPath: path + "-wal"))
        let restore = try StoreRestore(copyPath, to: path)
        let old = try #require(try restore.replace(restore.prepare { _, _ in }, at: "T"))
        #expect(try check(path).isSound)
        #expect(try Data(contentsOf: URL(fileURLWithPath: old)).count == 8192)
        #expect(try Data(contentsOf: URL(fileURLWithPath: old + "-wal")).count == 100)
    }
}
