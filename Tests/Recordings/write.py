#!/usr/bin/python3
"""Writes the recorded connections of this folder. They are hand-written cases, not captures.

Each line is a JSON object with t_ms, dir, characteristic and hex, as `rowgatectl decode` reads them.
The bytes follow Concept2's "PM5 Bluetooth Smart Communication Interface Definition", revision 1.30, and
are packed here, without the encoder of rowgate, so that a mistake in it cannot hide. All numbers of the
rower are made up; only the order of the packets follows real devices:

  old-monitor-100m.jsonl     a PM5 with firmware of 2016: no machine type, no 0x003E, two 0x0035 per
                             stroke (end of drive with the recovery of the stroke before; end of
                             recovery), the menus between two workouts reported as workout type 13
  counts-at-the-catch.jsonl  openrowingmonitor's emulated PM5: it sends 0x0035 at the catch with the new
                             stroke's number and the values of the last drive, and again at the end of
                             the drive; the first one is all zero
"""
import json
import os
import struct


def u24(value):
    return struct.pack('<I', value)[:3]


class Recording:
    def __init__(self):
        self.lines = []

    def add(self, t_ms, characteristic, payload, direction='rx'):
        self.lines.append(json.dumps({
            't_ms': t_ms, 'dir': direction, 'characteristic': '0x%02X' % characteristic,
            'hex': payload.hex()}))

    def status(self, t_ms, elapsed=0, distance=0, workout=0, interval=255, state=0, rowing=0,
               stroke=0, length=0, unit=0, drag=0):
        """0x0031: elapsed time 0.01 s, distance 0.1 m, length in the unit that `unit` names."""
        self.add(t_ms, 0x31, u24(elapsed) + u24(distance)
                 + bytes([workout, interval, state, rowing, stroke]) + u24(0) + u24(length)
                 + bytes([unit, drag]))

    def status_1(self, t_ms, elapsed=0, speed=0, rate=0, pace=0, average=0, heart=255, machine=None):
        """0x0032: speed 0.001 m/s, paces 0.01 s per 500 m; 255 is no heart rate belt."""
        payload = u24(elapsed) + struct.pack('<HBBHHH', speed, rate, heart, pace, average, 0) + u24(0)
        self.add(t_ms, 0x32, payload + (b'' if machine is None else bytes([machine])))

    def status_2(self, t_ms, elapsed=0, interval=0, power=0, calories=0, pace=0, last=0):
        """0x0033: average power W, pace of the split 0.01 s per 500 m, last split's time 0.01 s."""
        self.add(t_ms, 0x33, u24(elapsed) + bytes([interval])
                 + struct.pack('<HHHHH', power, calories, pace, power, calories) + u24(last) + u24(0))

    def stroke(self, t_ms, elapsed, distance, length, drive, recovery, travelled, peak, mean, work,
               number):
        """0x0035: lengths 0.01 m, times 0.01 s, forces 0.1 lbf, work 0.1 J."""
        self.add(t_ms, 0x35, u24(elapsed) + u24(distance)
                 + struct.pack('<BBHHHHHH', length, drive, recovery, travelled, peak, mean, work, number))

    def stroke_1(self, t_ms, elapsed, power, number, seconds=0, meters=0):
        """0x0036: power W, calories per hour, projected time s or distance m."""
        self.add(t_ms, 0x36, u24(elapsed) + struct.pack('<HHH', power, int(3.4416 * power + 300), number)
                 + u24(seconds) + u24(meters))

    def split(self, t_ms, elapsed, distance, deciseconds, meters, number, rate, power, drag, calories,
              kind, header_distance=None, machine=None):
        """0x0037 and 0x0038, a millisecond apart."""
        pace = round(deciseconds * 500 / meters)
        self.add(t_ms, 0x37, u24(elapsed) + u24(distance) + u24(deciseconds) + u24(meters)
                 + struct.pack('<HHBB', 0, 0, kind, number))
        self.add(t_ms + 1, 0x38, u24(elapsed)
                 + struct.pack('<BBBHHHHHBB', rate, 0, 0, pace, calories, int(3.4416 * power + 300),
                               round(meters * 10000 / deciseconds), power, drag, number)
                 + (b'' if machine is None else bytes([machine])))

    def curve(self, t_ms, samples):
        """0x003D in pieces of nine samples (lbf): high nibble pieces in all, low nibble words in this."""
        pieces = [samples[at:at + 9] for at in range(0, len(samples), 9)]
        for index, piece in enumerate(pieces):
            self.add(t_ms, 0x3D, bytes([len(pieces) << 4 | len(piece), index])
                     + struct.pack('<%dH' % len(piece), *piece))

    def write(self, name):
        folder = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write('\n'.join(self.lines) + '\n')


def old_monitor():
    """100 m in ten strokes: 22.72 s, average rate 26, 239 W."""
    recording = Recording()
    recording.add(0, 0x12, b'430000016', 'read')
    recording.add(0, 0x13, b'340', 'read')
    recording.add(1, 0x14, b'8200-000320-020.000', 'read')
    recording.add(1, 0x34, b'\1', 'read')
    t = 400

    def statuses(count, **status):
        nonlocal t
        for _ in range(count):
            recording.status(t, unit=0x80, **status)
            recording.status_1(t + 2)
            recording.status_2(t + 3)
            t += 510

    statuses(4, interval=1)  # nothing set
    statuses(4, workout=3, interval=1, length=2000)  # 2000 m was set before
    statuses(8, workout=13, length=2000)  # somebody is in the menus
    statuses(6, workout=3, interval=1, length=100)  # 100 m

    start = t
    # Per stroke: end of the drive, end of the recovery (0.01 s and 0.1 m each), drive time (0.01 s),
    # drive length (0.01 m), peak and mean force (0.1 lbf).
    strokes = [
        (90, 22, 280, 92, 90, 118, 1200, 690), (362, 130, 540, 207, 82, 122, 1480, 880),
        (618, 240, 768, 311, 78, 126, 1650, 990), (844, 345, 992, 412, 76, 128, 1690, 1010),
        (1067, 446, 1212, 513, 75, 128, 1700, 1020), (1287, 548, 1430, 613, 75, 129, 1710, 1030),
        (1505, 648, 1648, 713, 75, 129, 1715, 1032), (1723, 748, 1866, 813, 75, 128, 1710, 1030),
        (1941, 848, 2084, 913, 75, 128, 1705, 1028), (2159, 948, 2272, 1000, 75, 127, 1700, 1025),
    ]
    end_elapsed, end_distance = 2272, 1000
    events = []
    recovered, begun, before = 0, 0, 0
    for number, row in enumerate(strokes, 1):
        drive_end, drive_meters, done, meters, drive, length, peak, mean = row
        speed = (meters - before) * 10 / (done - begun)
        power = int(2.8 * speed ** 3)
        # The first stroke's work is not known.
        work = 0xFFFF if number == 1 else power * (done - begun) // 10
        values = length, drive, 10 * (meters - before), peak, mean, work, power
        events.append((drive_end, 'drive', number, drive_meters, recovered, values))
        recovered = done - drive_end
        if done < end_elapsed:
            events.append((done, 'recovery', number, meters, recovered, values))
        begun, before = done, meters
    tick = 40
    stroke_state, rate, power_now = 2, 0, 0
    calories = 0

    def passing(elapsed):
        """What the monitor's timer sends; the distance lies on a line between two drive ends."""
        points = [(0, 0)] + [(e[0], e[3]) for e in events] + [(end_elapsed, end_distance)]
        for (a, x), (b, y) in zip(points, points[1:]):
            if a <= elapsed <= b and b > a:
                distance = x + (y - x) * (elapsed - a) // (b - a)
                break
        speed = int(distance / 10 / (elapsed / 100) * 1000) if elapsed else 0
        pace = int(500 / (speed / 1000) * 100) if speed > 800 else 0
        at = start + elapsed * 10
        recording.status(at, elapsed, distance, 3, 1, 1, 1, stroke_state, 100, 0x80, 97 if elapsed > 300 else 0)
        recording.status_1(at + 2, elapsed, speed, rate, pace, pace)
        recording.status_2(at + 3, elapsed, 0, power_now, calories, pace)

    for event in events:
        while tick < event[0]:
            passing(tick)
            tick += 51
        elapsed, kind, number, meters, recovery, values = event
        length, drive, travelled, peak, mean, work, power = values
        at = start + elapsed * 10 + 5
        recording.stroke(at, elapsed, meters, length, drive, recovery, travelled, peak, mean, work, number)
        if kind == 'drive':
            projected = round(elapsed / meters * 10) if meters else 0
            recording.stroke_1(at + 1, elapsed, power, number, seconds=projected)
            stroke_state, rate, power_now = 4, min(27, 20 + number), power
            calories = number * 6 // 10
        else:
            stroke_state = 2
    while tick < end_elapsed:
        passing(tick)
        tick += 51
    at = start + end_elapsed * 10
    recording.status(at, end_elapsed, end_distance, 3, 1, 10, 0, 1, 100, 0x80, 97)
    recording.split(at + 3, end_elapsed, end_distance, 227, 100, 1, 26, 239, 97, 6, 1)
    for step in range(1, 4):
        recording.status(at + 510 * step - 240, end_elapsed, end_distance, 3, 1, 10, 0, 1, 100, 0x80, 97)
        recording.status_1(at + 510 * step - 238, end_elapsed, 4401, 26, 11360, 11360)
        recording.status_2(at + 510 * step - 237, end_elapsed, 1, 239, 6, 11360, end_elapsed)
    # 17 May 2016, 06:12: the month in bits 0-3, the day in 4-8, the year - 2000 from bit 9.
    date = 5 | 17 << 4 | 16 << 9
    log = struct.pack('<HBB', date, 12, 6)
    recording.add(at + 1530, 0x39, log + u24(end_elapsed) + u24(end_distance)
                  + struct.pack('<BBBBBBBBH', 26, 0, 0, 0, 0, 97, 0, 3, 1136))
    recording.add(at + 1533, 0x3A, log + bytes([1]) + struct.pack('<HBHH', 100, 1, 6, 239) + u24(0)
                  + struct.pack('<HH', 0, int(3.4416 * 239 + 300)))
    for step in range(4, 12):
        recording.status(at + 510 * step, end_elapsed, end_distance, 3, 1, 12, 0, 1, 100, 0x80, 97)
        recording.status_1(at + 510 * step + 2, end_elapsed, 4401, 26, 11360, 11360)
        recording.status_2(at + 510 * step + 3, end_elapsed, 1, 239, 6, 11360, end_elapsed)
    recording.write('old-monitor-100m.jsonl')


def counts_at_the_catch():
    """A just row with splits of 60 m: 24 strokes of 8 to 10 m."""
    recording = Recording()
    t = 0
    for _ in range(10):
        recording.status(t, workout=1)
        recording.status_1(t, heart=0, machine=0)
        recording.status_2(t)
        t += 500
    # Per stroke: recovery before it and drive (0.01 s), travelled in each (0.1 m), mean force.
    start = t
    elapsed, distance = 0, 0
    boundary, splits, split_start = 600, 0, (0, 0)
    previous = None  # of the last drive: length, drive, travelled, peak, mean, work
    due = start + 500
    power = rate = 0

    def passing(until):
        """The timer runs on from the last packet, as the emulator's does."""
        nonlocal due
        while due < until:
            moved = (due - at) // 10
            recording.status(due, elapsed + moved, distance + moved * 36 // 100, 1, 255, 5, 1,
                             4 if catching else 2, 0, 0, 121 if previous else 0)
            due += 500

    at, catching = start, True
    for number in range(1, 25):
        recovery, drive = (240 if number == 1 else 150 + number % 4 * 8), 80 + number % 5 * 3
        glide, pull = (70 if number == 1 else 58 + number % 3), 30 + number % 4
        mean = 660 + number * 7 % 90
        peak = 10 * round(mean * 1.65 / 10)
        catch = at + recovery * 10
        passing(catch)
        elapsed, distance, at = elapsed + recovery, distance + glide, catch
        if previous is None:
            recording.stroke(at, elapsed, distance, 0, 0, recovery, 0, 0, 0, 0, number)
        else:
            length, last_drive, last_peak, last_mean, work = previous
            recording.stroke(at, elapsed, distance, length, last_drive, recovery,
                             10 * (glide + pull), last_peak, last_mean, work, number)
        due, catching = at + 500, False
        end = at + drive * 10
        passing(end)
        elapsed, distance, at = elapsed + drive, distance + pull, end
        length = 130 + number % 3 * 4
        work = int(mean / 10 * 4.44822 * length / 100 * 10)
        speed = (glide + pull) / 10 / ((recovery + drive) / 100)
        power, rate = int(2.8 * speed ** 3), int(6000 / (recovery + drive))
        recording.stroke(at, elapsed, distance, length, drive, recovery, 10 * (glide + pull), peak, mean,
                         work, number)
        recording.stroke_1(at, elapsed, power, number)
        half = peak // 10
        rising = [half * step // 8 for step in range(1, 8)]
        recording.curve(at, rising + [half] + rising[::-1])
        previous, due, catching = (length, drive, peak, mean, work), at + 500, True
        if distance >= boundary:
            splits += 1
            seconds = elapsed - split_start[0]
            recording.split(at + 100, elapsed, distance, seconds // 10, 60, splits, rate, power, 121,
                            4 * splits, 0, machine=0)
            boundary, split_start = boundary + 600, (elapsed, distance)
            due = at + 500
        recording.status_1(at + 120, elapsed, int(speed * 1000), rate, int(50000 / speed),
                           int(500 * elapsed / (distance / 10)), 0, machine=0)
        recording.status_2(at + 121, elapsed, splits, power, 2 * number, int(50000 / speed))
    passing(at + 3000)
    recording.write('counts-at-the-catch.jsonl')


if __name__ == '__main__':
    old_monitor()
    counts_at_the_catch()
